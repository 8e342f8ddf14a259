// SPDX-License-Identifier: Apache-2.0
// Clamps that are written as a comparison and a choice.
#pragma once

#include "src/passes/pass.h"

namespace t2n::passes {

/// where(x > bound, bound, x) becomes clamp_max(x, bound), likewise minima, and masked_fill, in
/// quantisers only: engines' minima drop a NaN of x, which a choice keeps. The
/// bound is a float constant without NaN, so that a NaN of x stays. If both are zeros, the choice
/// takes x, and engines' minima take either: bounds of zero are left alone where an output exposes
/// the sign of a zero. True if the graph changed.
bool recognise_clamps(ir::Graph& graph, const PassContext& context);

}  // namespace t2n::passes
