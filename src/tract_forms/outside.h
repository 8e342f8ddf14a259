// SPDX-License-Identifier: Apache-2.0
// Numbers of tract's regions of interest; see regions.h.
#pragma once

#include <string_view>

namespace t2n::tract_forms {

/// 1 less a region of interest that is a number.
struct Outside {
  double number;
  bool is_union = false;
  bool operator==(const Outside&) const = default;
};

/// The union of two regions. tract finds equal ones equal; but unions that are equal in the end are
/// different numbers in between, as it computes all regions again until none changes.
Outside outside_union(const Outside& a, const Outside& b);

/// Whether tract hands a region on from a result of that operation, which is not elementwise.
bool hands_regions_on(std::string_view op);

/// tract takes seconds to load a model with numbers of 40 bits, and no model with some of 50 bits
/// ends. Operands of one element, which cannot be gathered, get as far as possible.
inline constexpr double kLargestRegion = 0x1p24;
inline constexpr double kLargestLoaded = 0x1p44;

}  // namespace t2n::tract_forms
