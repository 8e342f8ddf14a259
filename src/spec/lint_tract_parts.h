// Shared by the parts of the lint of tract documents.
#pragma once

#include <optional>
#include <vector>

#include "src/spec/lint_tract.h"
#include "src/spec/shape_run.h"

namespace t2n::spec {

/// A product in the body of a scan whose size tract cannot tell there: it knows a symbol only if an
/// input of the body has its size, times an integer and plus one. It fails in every run.
std::optional<TractFinding> untold_sizes(ShapeRunner& runner,
                                         const std::vector<ir::Symbol>& symbols,
                                         const std::vector<Assertion>& assertions);

/// Sizes that tract compares as expressions and does not find equal, where tensors are joined or
/// reshaped; only sizes that statements of these kinds name are followed.
std::optional<TractFinding> unequal_sizes(const nnef::Document& document);

/// A product of a packed weight with joined tensors, which tract splits: it cannot cut the blocks,
/// and the process ends.
std::optional<TractFinding> packed_joins(const nnef::Document& document);

}  // namespace t2n::spec
