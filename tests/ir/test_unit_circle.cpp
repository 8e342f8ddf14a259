// SPDX-License-Identifier: Apache-2.0
// Points of the unit circle: symmetric to the last bit, and exact at quarters of a turn.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "ir/unit_circle.h"

namespace t2n::ir {
namespace {

TEST_CASE("points that lie symmetrically have the same coordinates but for signs") {
  for (int64_t n = 1; n <= 64; ++n)
    for (int64_t i = -n; i < 2 * n; ++i) {
      const CirclePoint point = circle_point(i, n), mirrored = circle_point(n - i, n);
      CHECK_EQ(point.cos, mirrored.cos);
      CHECK_EQ(point.sin, -mirrored.sin);
      const double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n);
      CHECK(std::abs(point.cos - std::cos(angle)) < 1e-14);
      CHECK(std::abs(point.sin - std::sin(angle)) < 1e-14);
      if (n % 2 == 0) CHECK_EQ(point.cos, -circle_point(i + n / 2, n).cos);
      if (n % 4 == 0) CHECK_EQ(point.cos, circle_point(i + n / 4, n).sin);
      if (n % 8 == 0) CHECK_EQ(circle_point(n / 8, n).cos, circle_point(n / 8, n).sin);
    }
}

TEST_CASE("quarters of a turn are exact, and no zero is negative") {
  for (int64_t quarter = 0; quarter < 4; ++quarter) {
    const CirclePoint point = circle_point(quarter, 4);
    CHECK_EQ(point.cos, quarter == 0 ? 1 : quarter == 2 ? -1 : 0);
    CHECK_EQ(point.sin, quarter == 1 ? 1 : quarter == 3 ? -1 : 0);
    CHECK_FALSE((point.cos == 0 && std::signbit(point.cos)));
    CHECK_FALSE((point.sin == 0 && std::signbit(point.sin)));
  }
}

}  // namespace
}  // namespace t2n::ir
