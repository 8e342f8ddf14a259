// SPDX-License-Identifier: Apache-2.0
// Shared by the parts of the lint of tract documents.
#pragma once

#include <optional>
#include <vector>

#include "src/lint/shape_run.h"
#include "src/lint/tract.h"

namespace t2n::spec {

/// A product in the body of a scan whose size tract cannot infer: it knows a symbol only if an axis
/// of an input is the symbol times an integer plus an integer. It fails in every run.
std::optional<TractFinding> unknown_sizes(ShapeRunner& runner,
                                          const std::vector<ir::Symbol>& symbols,
                                          const std::vector<Assertion>& assertions);

/// Sizes that tract compares as expressions and cannot prove equal, where tensors are concatenated
/// or reshaped; only sizes that statements of these kinds name are propagated.
std::optional<TractFinding> unequal_sizes(const nnef::Document& document);

/// A product of a packed weight with concatenated tensors, which tract splits: it cannot split the
/// blocks, and aborts the process.
std::optional<TractFinding> packed_joins(const nnef::Document& document);

/// A `matmul` of one matrix and of many, whose axis a `reshape` has just joined: tract splits the
/// one's axis of extent 1 as well, and does not load the file.
std::optional<TractFinding> joined_matrices(const nnef::Document& document);

/// A state of a scan that nothing needs. `loops`: the scans of a run.
std::optional<TractFinding> unread_states(const nnef::Document& document,
                                          const std::vector<LoopShapes>& loops);

/// A tensor with many integer factors, from which tract derives a number that grows without end.
std::optional<TractFinding> large_regions(const nnef::Document& document);

}  // namespace t2n::spec
