// SPDX-License-Identifier: Apache-2.0
// Conditions on sizes in forms that engines can read.
#pragma once

#include <optional>
#include <vector>

#include "src/dynamic/axes.h"

namespace t2n::dynamic {

/// True if `known` imply it.
bool follows(const Comparison& comparison, const std::vector<Comparison>& known);

/// `a >= c` and `b >= c` for `min(a, b) >= c`, and likewise for the upper bound of a maximum. The
/// comparison itself if it has no minimum or maximum; nothing if one of two bounds is enough.
std::optional<std::vector<Comparison>> without_orders(const Comparison& comparison);

/// Sizes at which comparisons are known to be true; the sample's come first.
using Seen = std::vector<Sizes>;

/// Comparisons that express `comparison`, or a stronger condition if it cannot be expressed: a
/// minimum is replaced by its operand at all sizes seen, or in the sample, and "!=" by the sample's
/// side. Nothing if there is none.
std::optional<std::vector<Comparison>> expressible(const Comparison& comparison, const Seen& seen,
                                                   const std::vector<Comparison>& known);

}  // namespace t2n::dynamic
