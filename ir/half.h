// What 16-bit floats hold.
#pragma once

#include <cmath>

namespace t2n::ir {

/// Whether f16 holds a number to its 11 bits: it is zero, infinite, or neither overflows nor lies
/// below the normal ones.
inline bool is_normal_in_f16(double number) {
  constexpr double kLeast = 0x1p-14, kLargest = 65504;
  const double size = std::abs(number);
  return size == 0 || !std::isfinite(size) || (size >= kLeast && size <= kLargest);
}

}  // namespace t2n::ir
