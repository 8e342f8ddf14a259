// SPDX-License-Identifier: Apache-2.0
#include "ir/unit_circle.h"

#include <cmath>
#include <numbers>
#include <utility>

#include "ir/shape.h"

namespace t2n::ir {

CirclePoint circle_point(int64_t i, int64_t n) {
  const int64_t index = floor_mod_int(i, n);
  const bool is_below = 2 * index > n;
  const int64_t half = is_below ? n - index : index;  // of at most n / 2
  const bool is_left = 4 * half > n;
  const int64_t quarter = is_left ? n - 2 * half : 2 * half;  // of 2n parts of a turn
  const bool is_steep = 4 * quarter > n;
  const int64_t eighth = is_steep ? n - 2 * quarter : 2 * quarter;  // of 4n parts
  const double angle = std::numbers::pi * static_cast<double>(eighth) / static_cast<double>(2 * n);
  CirclePoint out{std::cos(angle), std::sin(angle)};
  if (2 * eighth == n) out.cos = out.sin = std::sqrt(0.5);
  if (is_steep) std::swap(out.cos, out.sin);
  if (is_left) out.cos = 0 - out.cos;
  if (is_below) out.sin = 0 - out.sin;
  return out;
}

}  // namespace t2n::ir
