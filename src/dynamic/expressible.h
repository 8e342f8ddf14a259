// Conditions on sizes in forms that engines read.
#pragma once

#include <optional>
#include <vector>

#include "src/dynamic/axes.h"

namespace t2n::dynamic {

/// True if `known` imply it.
bool follows(const Comparison& comparison, const std::vector<Comparison>& known);

/// Comparisons that express `comparison`, or a stronger condition if it cannot be expressed: a
/// minimum is replaced by its value in the sample, and "!=" by the sample's side. Nothing if there
/// is none.
std::optional<std::vector<Comparison>> expressible(const Comparison& comparison,
                                                   const Sizes& sample,
                                                   const std::vector<Comparison>& known);

}  // namespace t2n::dynamic
