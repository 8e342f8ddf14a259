// Whether comparisons of sizes follow from others.
#pragma once

#include <span>

#include "ir/comparison.h"

namespace t2n::ir {

enum class Verdict { always, never, unknown };

/// Whether the comparison holds for all values of its symbols that satisfy the assumptions; symbols
/// are never negative. `always` and `never` are proofs. The answer is `unknown` if no proof was
/// found, or if numbers do not fit into 64 bits.
Verdict prove(const Comparison& comparison, std::span<const Comparison> assumptions = {});

}  // namespace t2n::ir
