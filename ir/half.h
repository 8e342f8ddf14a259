// SPDX-License-Identifier: Apache-2.0
// The range of 16-bit floats.
#pragma once

#include <cmath>

namespace t2n::ir {

/// Whether f16 represents a number with all its 11 bits: zero, infinite, or in the normal range.
inline bool is_normal_in_f16(double number) {
  constexpr double kLeast = 0x1p-14, kLargest = 65504;
  const double size = std::abs(number);
  return size == 0 || !std::isfinite(size) || (size >= kLeast && size <= kLargest);
}

}  // namespace t2n::ir
