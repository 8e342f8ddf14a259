// Whether comparisons of sizes follow from others.
#pragma once

#include <span>

#include "ir/comparison.h"

namespace t2n::ir {

enum class Verdict { always, never, unknown };

/// Whether the comparison holds for all values of its symbols, none of which is negative, that
/// satisfy the assumptions. `always` and `never` are proofs; what is not found, or whose numbers do
/// not fit into 64 bits, is `unknown`.
Verdict prove(const Comparison& comparison, std::span<const Comparison> assumptions = {});

}  // namespace t2n::ir
