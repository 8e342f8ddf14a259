// Conditions on sizes in forms that engines read.
#pragma once

#include <optional>
#include <vector>

#include "src/dynamic/axes.h"

namespace t2n::dynamic {

/// True if `known` imply it.
bool follows(const Comparison& comparison, const std::vector<Comparison>& known);

/// `a >= c` and `b >= c` for `min(a, b) >= c`, and likewise where a maximum has a bound. Itself if
/// there is no minimum or maximum, or none is left; nothing where one of two bounds would be
/// enough.
std::optional<std::vector<Comparison>> without_orders(const Comparison& comparison);

/// Sizes at which comparisons are known to be true; the sample's come first.
using Seen = std::vector<Sizes>;

/// Comparisons that express `comparison`, or a stronger condition if it cannot be expressed: a
/// minimum is replaced by the operand that it is at all sizes seen, or in the sample, and "!=" by
/// the sample's side. Nothing if there is none.
std::optional<std::vector<Comparison>> expressible(const Comparison& comparison, const Seen& seen,
                                                   const std::vector<Comparison>& known);

}  // namespace t2n::dynamic
