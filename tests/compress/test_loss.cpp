// SPDX-License-Identifier: Apache-2.0
// How near two tensors are.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "src/compress/explain/loss.h"
#include "tests/support/script.h"

namespace t2n::compress {
namespace {

Closeness closeness(const std::vector<double>& wanted, const std::vector<double>& there) {
  const auto size = static_cast<int64_t>(wanted.size());
  Closeness out;
  out.add(test::values({size}, wanted), test::values({size}, there));
  return out;
}

TEST_CASE("noise in decibels, and the angle") {
  CHECK(closeness({3, 4}, {3, 3}).snr_db() == doctest::Approx(10 * std::log10(25.0)));
  CHECK(closeness({1, 0}, {0, 1}).cosine() == 0);
  CHECK(closeness({1, 2}, {1, 2}).snr_db() == std::numeric_limits<double>::infinity());
}

TEST_CASE("values that became infinite or NaN have the largest distance") {
  for (const double lost : {HUGE_VAL, -HUGE_VAL, std::nan("")}) {
    const Closeness there = closeness({1, 2}, {1, lost});
    CHECK(there.snr_db() == -std::numeric_limits<double>::infinity());
    CHECK(there.cosine() == 0);
  }
}

}  // namespace
}  // namespace t2n::compress
