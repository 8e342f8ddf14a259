// SPDX-License-Identifier: Apache-2.0
// Observers: ranges and scales, by formulas of torch's observers or worked out by hand.
#include <doctest/doctest.h>

#include <cmath>

#include "src/compress/calibrate/ranges.h"
#include "src/compress/calibrate/statistics.h"
#include "src/diag/error.h"

namespace t2n::compress {
namespace {

constexpr QuantScheme kUnsigned = {
    .is_signed = false, .is_symmetric = false, .is_narrow = false, .is_per_channel = false};

Statistics seen(Observer observer, const std::vector<std::vector<double>>& batches,
                std::optional<int> axis = {}, int bits = 8) {
  QuantScheme scheme = kUnsigned;
  scheme.bits = bits;
  scheme.observer = observer;
  scheme.quantile = 0.5;
  Statistics out({.scheme = scheme, .axis = axis});
  for (const std::vector<double>& batch : batches)
    out.see(ir::tensor_of<double>(ir::DType::f64, {std::ssize(batch) / 2, 2}, batch));
  return out;
}

TEST_CASE("scales of affine grids are those of torch's MinMaxObserver") {
  // (max - min) / 255; zero point -min / scale, rounded half to even.
  const Scale scale = scale_for({-1, 3}, kUnsigned);
  CHECK(scale.scale == static_cast<double>(static_cast<float>(4.0 / 255)));
  CHECK(scale.zero_point == 64);
  CHECK(scale_for({1, 3}, kUnsigned).zero_point == 0);  // zero is always on the grid
  CHECK(scale_for({-3, -1}, kUnsigned).zero_point == 255);
  CHECK(scale_for({0, 0}, kUnsigned).scale > 0);
  CHECK(scale_for({0, 2.55e-9}, kUnsigned).scale == doctest::Approx(1e-11).epsilon(1e-6));
}

TEST_CASE("symmetric grids have zero in the middle") {
  const QuantScheme narrow = {};
  CHECK(scale_for({-2, 1}, narrow).scale == static_cast<double>(static_cast<float>(2.0 / 127)));
  CHECK(scale_for({-2, 1}, narrow).zero_point == 0);
  QuantScheme wide = narrow;
  wide.is_narrow = false;  // torch's qscheme symmetric: (max - min) / 2 of -128 to 127
  CHECK(scale_for({-2, 1}, wide).scale == static_cast<double>(static_cast<float>(2.0 / 127.5)));
  QuantScheme four = narrow;
  four.bits = 4;
  CHECK(scale_for({-2, 1}, four).scale == static_cast<double>(static_cast<float>(2.0 / 7)));
  QuantScheme positive = kUnsigned;
  positive.is_symmetric = true;
  CHECK(scale_for({0, 5.1}, positive).zero_point == 0);
  CHECK(scale_for({-1, 1}, positive).zero_point == 128);
  positive.is_narrow = true;  // 1 to 255: zero is on the grid
  CHECK(scale_for({0, 5.1}, positive).zero_point == 1);
  CHECK(rounded(0, scale_for({0, 5.1}, positive), positive) == 0);
  CHECK(rounded(5.1, scale_for({0, 5.1}, positive), positive) ==
        doctest::Approx(5.1).epsilon(1e-6));
  positive.is_narrow = false;
  CHECK(rounded(-1, scale_for({-1, 1}, positive), positive) == doctest::Approx(-1).epsilon(1e-6));
}

TEST_CASE("rounding is half to even and cut off") {
  const Scale scale = {0.5, 0};
  QuantScheme scheme;
  CHECK(rounded(0.25, scale, scheme) == 0);
  CHECK(rounded(0.75, scale, scheme) == 1);
  CHECK(rounded(-100, scale, scheme) == -63.5);
}

TEST_CASE("min-max takes all batches, the moving average follows them slowly") {
  const std::vector<std::vector<double>> batches = {{-1, 1}, {-3, 2}};
  const Range all = seen(Observer::min_max, batches).ranges().at(0);
  CHECK(all.low == -3);
  CHECK(all.high == 2);
  const Range average = seen(Observer::moving_average, batches).ranges().at(0);
  CHECK(average.low == doctest::Approx(-1.02));
  CHECK(average.high == doctest::Approx(1.01));
}

TEST_CASE("a range for each channel") {
  const std::vector<Range> of = seen(Observer::min_max, {{-1, 5, 2, 7}}, 1).ranges();
  REQUIRE(of.size() == 2);
  CHECK(of[0].low == -1);
  CHECK(of[0].high == 2);
  CHECK(of[1].low == 0);
  CHECK(of[1].high == 7);
}

TEST_CASE("a percentile leaves both ends out") {
  std::vector<double> batch;
  for (int i = 1; i <= 1000; ++i) batch.push_back(i - 500.5);
  const Range range = seen(Observer::percentile, {batch}).ranges().at(0);  // half lies within
  CHECK(range.low == doctest::Approx(-250).epsilon(0.01));
  CHECK(range.high == doctest::Approx(250).epsilon(0.01));
}

TEST_CASE("outliers are cut off where that costs less than coarse steps") {
  std::vector<double> batch(20000);
  for (size_t i = 0; i < batch.size(); ++i) batch[i] = std::sin(static_cast<double>(i));
  batch[7] = 4;
  CHECK(seen(Observer::min_max, {batch}).ranges().at(0).high == 4);
  for (const Observer observer : {Observer::histogram, Observer::entropy}) {
    CAPTURE(static_cast<int>(observer));
    const Range range = seen(observer, {batch}, {}, 4).ranges().at(0);
    CHECK(range.high < 2.5);
    CHECK(range.high >= 0.9);
  }
}

TEST_CASE("histograms hold any range in bounded memory, whatever comes first") {
  Histogram up;
  Histogram down;
  for (int i = -60; i <= 60; ++i) {
    up.add(std::exp2(i));
    down.add(std::exp2(-i));
    up.add(-std::exp2(-i));
    down.add(-std::exp2(i));
    up.add(0);
  }
  CHECK(up.size() <= 8192);
  CHECK(up.zeros() == 121);
  CHECK(up.width() == down.width());
  REQUIRE(up.size() == down.size());
  for (size_t i = 0; i < up.size(); ++i) CHECK(up.count(i) == down.count(i));
  Histogram none;
  CHECK(none.quantile(0.5) == 0);
}

TEST_CASE("NaN is refused") {
  CHECK_THROWS_AS(seen(Observer::min_max, {{NAN, 1}}), Error);
  CHECK_THROWS_AS(seen(Observer::histogram, {{INFINITY, 1}}), Error);
}

}  // namespace
}  // namespace t2n::compress
