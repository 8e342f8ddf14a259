// SPDX-License-Identifier: Apache-2.0
// Deviation of outputs: what counts as equal, by which numbers, in which words.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "src/check/compare.h"
#include "src/check/quanta.h"
#include "src/check/ulps.h"
#include "src/diag/error.h"
#include "tests/check/vectors.h"

namespace t2n::test {
namespace {

using check::Deviation;
using check::Level;
using check::Tolerance;
using check::Verdict;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

Tolerance level(Level level) { return {level, {}}; }
Tolerance custom(double absolute, double relative, double outliers = 0) {
  return {Level::custom, {absolute, relative, outliers}};
}

bool agree(const ir::Tensor& expected, const ir::Tensor& actual, const Tolerance& tolerance) {
  return check::compare(expected, actual, tolerance).verdict == Verdict::ok;
}

TEST_CASE("levels have tract's numbers, half types their own, integers none") {
  const auto numbers = [](Level l, ir::DType dtype) {
    const check::Margins bounds = check::margins_for(level(l), dtype);
    return std::vector<double>{bounds.absolute, bounds.relative, bounds.outliers};
  };
  using V = std::vector<double>;
  CHECK_EQ(numbers(Level::exact, ir::DType::f32), V{0, 0, 0});
  CHECK_EQ(numbers(Level::close, ir::DType::f32), V{1e-7, 1e-7, 0});
  CHECK_EQ(numbers(Level::close, ir::DType::f16), V{1e-3, 1e-3, 0});
  CHECK_EQ(numbers(Level::approximate, ir::DType::f64), V{1e-4, 5e-4, 0});
  CHECK_EQ(numbers(Level::approximate, ir::DType::f16), V{1e-3, 5e-3, 0});
  CHECK_EQ(numbers(Level::very, ir::DType::f16), V{5e-2, 1e-2, 0});
  CHECK_EQ(numbers(Level::super, ir::DType::f32), V{0.1, 0.05, 1e-4});
  CHECK_EQ(numbers(Level::ultra, ir::DType::f32), V{0.2, 0.1, 5e-4});
  CHECK_EQ(numbers(Level::ultra, ir::DType::i32), V{0, 0, 0});
  CHECK_EQ(numbers(Level::ultra, ir::DType::boolean), V{0, 0, 0});
}

TEST_CASE("tolerances are parsed and printed") {
  CHECK_EQ(check::parse_tolerance("very").level, Level::very);
  const Tolerance own = check::parse_tolerance("1e-3,0.01,0.5");
  CHECK_EQ(own.level, Level::custom);
  CHECK_EQ(check::tolerance_str(own), "custom (atol 0.001, rtol 0.01, outliers 0.5)");
  CHECK_EQ(check::tolerance_str(check::parse_tolerance("0,2")), "custom (atol 0, rtol 2)");
  CHECK_EQ(check::tolerance_str({}), "approximate (atol 0.0001, rtol 0.0005)");
  CHECK_EQ(check::tolerance_str(level(Level::exact)), "exact");
  for (const char* bad : {"", "1", "1,2,3,4", "1,-2", "1,nan", "1,2,", "1;2"})
    CHECK_THROWS_AS(check::parse_tolerance(bad), Error);
  try {
    check::parse_tolerance("aproximate");
    CHECK(false);
  } catch (const Error& error) {
    CHECK_EQ(std::string(error.what()),
             "error[usage]: there is no tolerance 'aproximate'\n"
             "  why:  levels are exact, close, approximate, very, super and ultra\n"
             "  help: did you mean 'approximate'?\n");
  }
}

TEST_CASE("equal tensors agree exactly") {
  const Deviation same = check::compare(f32({1, -2, 0}), f32({1, -2, -0.0F}), level(Level::exact));
  CHECK_EQ(same.verdict, Verdict::ok);
  CHECK_EQ(same.max_abs, 0);
  CHECK_EQ(same.max_rel, 0);
  CHECK_EQ(same.outliers, 0);
  CHECK_EQ(same.snr_db, std::numeric_limits<double>::infinity());
  const ir::Tensor empty = ir::allocate(ir::DType::f32, {0, 3}).tensor;
  CHECK(agree(empty, empty, level(Level::exact)));
}

TEST_CASE("long tensors are compared to their end") {
  std::vector<float> values(5000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  const ir::Tensor right = f32(values);
  CHECK(agree(right, right, level(Level::exact)));
  values.back() += 1;
  const Deviation wrong = check::compare(right, f32(values), level(Level::exact));
  CHECK_EQ(wrong.outliers, 1);
  CHECK_EQ(wrong.worst, ir::Ints{4999});
}

TEST_CASE("the numbers of a difference") {
  const ir::Tensor expected = ir::tensor_of<float>(ir::DType::f32, {2, 2}, {4, 2, 0, 1});
  const ir::Tensor actual = ir::tensor_of<float>(ir::DType::f32, {2, 2}, {4, 2.5, 0, 1});
  const Deviation c = check::compare(expected, actual, custom(0.01, 0.02));
  CHECK_EQ(c.verdict, Verdict::differs);
  CHECK_EQ(c.max_abs, 0.5);
  CHECK_EQ(c.max_rel, 0.25);
  CHECK_EQ(c.snr_db, doctest::Approx(10 * std::log10(21 / 0.25)));
  CHECK_EQ(c.outliers, 1);
  CHECK_EQ(c.worst, ir::Ints{0, 1});
  CHECK_EQ(c.expected, 2);
  CHECK_EQ(c.actual, 2.5);
  CHECK_EQ(c.allowed, doctest::Approx(0.05));
  CHECK_EQ(check::mismatch_text("y", c),
           "'y'[0,1]: expected 2, got 2.5 (off by 0.5, allowed 0.05)");
}

TEST_CASE("differences are counted in steps of a quantiser") {
  const check::Quanta one =
      check::count_quanta(f32({0, 0.5F, 1, -2}), f32({0, 0.7501F, 1, -1.5F}), 0.25);
  CHECK_EQ(one.elements, 4);
  CHECK_EQ(one.off_by_one, 1);
  CHECK_EQ(one.off_by_more, 1);
  CHECK_EQ(one.most, 2);
  const check::Quanta nan = check::count_quanta(f32({0, 1}), f32({0, kNan}), 0.25);
  CHECK_EQ(nan.most, static_cast<double>(kInf));
  CHECK_EQ(nan.off_by_more, 1);
  const check::Quanta both = check::combined(one, nan);
  CHECK_EQ(both.elements, 6);
  CHECK_EQ(both.off_by_one, 1);
  CHECK_EQ(both.off_by_more, 2);
  const check::Quanta between = check::count_quanta(f32({0, 10, 20}), f32({0.1F, 10.7F, 21}), 0.5);
  CHECK_EQ(between.between, 2);
  CHECK_EQ(between.off_by_more, 1);
  CHECK_EQ(check::combined(between, between).between, 4);
  CHECK_EQ(both.most, static_cast<double>(kInf));
}

TEST_CASE("the relative error of what is almost zero is left out") {
  const Deviation c = check::compare(f32({1, 1e-5F}), f32({1.0001F, 5e-5F}), {});
  CHECK_EQ(c.verdict, Verdict::ok);
  CHECK_EQ(c.max_rel, doctest::Approx(1e-4).epsilon(1e-2));
}

TEST_CASE("each element has its own bound, and the worst is the one furthest outside") {
  // 1000 ± 0.4 is fine at rtol 5e-4, 0.1 ± 0.01 is not, though it is off by less.
  const Deviation c = check::compare(f32({1000, 0.1F}), f32({1000.4F, 0.11F}), {});
  CHECK_EQ(c.outliers, 1);
  CHECK_EQ(c.worst, ir::Ints{1});
  CHECK_EQ(check::mismatch_text("y", c),
           "'y'[1]: expected 0.1, got 0.11 (off by 0.01, allowed 0.00015)");
}

TEST_CASE("the absolute tolerance shrinks with small outputs, and never grows") {
  CHECK(agree(f32({1, 0}), f32({1, 0.9e-4F}), {}));
  CHECK_FALSE(agree(f32({1e-3F, 0}), f32({1e-3F, 0.9e-4F}), {}));
  CHECK(agree(f32({1e-3F, 0}), f32({1e-3F, 0.9e-7F}), {}));
  CHECK_FALSE(agree(f32({1000, 0}), f32({1000, 1.1e-4F}), {}));
  CHECK_FALSE(agree(f32({0, 0}), f32({0, 1e-9F}), {}));
  CHECK(agree(f32({kInf, 1, 0}), f32({kInf, 1, 0.9e-4F}), {}));
}

TEST_CASE("NaN and infinities only equal themselves, whatever the outlier ratio") {
  const Tolerance lax = custom(1e9, 1e9, 1);
  CHECK(agree(f32({kNan, kInf, -kInf}), f32({kNan, kInf, -kInf}), level(Level::exact)));
  for (const float value : {0.0F, 1e30F, kInf, -kInf}) {
    CHECK_FALSE(agree(f32({kNan, 1}), f32({value, 1}), lax));
    CHECK_FALSE(agree(f32({value, 1}), f32({kNan, 1}), lax));
  }
  CHECK_FALSE(agree(f32({kInf}), f32({-kInf}), lax));
  CHECK_FALSE(agree(f32({kInf}), f32({3e38F}), lax));
  const Deviation c = check::compare(f32({1, 2, kNan}), f32({1, 2.5, 0}), {});
  CHECK_EQ(c.not_finite, 1);
  CHECK_EQ(c.outliers, 2);
  CHECK_EQ(c.worst, ir::Ints{2});
  CHECK(std::isinf(c.max_abs));
  CHECK_EQ(c.snr_db, -std::numeric_limits<double>::infinity());
  CHECK_EQ(check::mismatch_text("y", c), "'y'[2]: expected nan, got 0 (off by inf, allowed 0)");
}

TEST_CASE("ulps count representable numbers, and 99 % of the elements are within") {
  const auto p99 = [](double expected, double actual, ir::DType dtype = ir::DType::f32) {
    check::UlpCounts counts(dtype);
    counts.add(expected, actual);
    return counts.p99();
  };
  CHECK_EQ(p99(1, 1), 0);
  CHECK_EQ(p99(1, 1 + std::ldexp(1, -23)), 1);
  CHECK_EQ(p99(1, 1 - std::ldexp(1, -24)), 1);
  CHECK_EQ(p99(0, -0.0), 0);
  CHECK_EQ(p99(std::ldexp(1, -149), -std::ldexp(1, -149)), 2);  // across zero
  CHECK_EQ(p99(1, 1 + std::ldexp(1, -10), ir::DType::f16), 1);
  CHECK_EQ(p99(1, 1 + std::ldexp(1, -7), ir::DType::bf16), 1);
  CHECK_EQ(p99(1, 1 + std::ldexp(1, -52), ir::DType::f64), 1);
  CHECK_EQ(p99(kNan, kNan), 0);
  CHECK(std::isinf(p99(kNan, 1)));
  CHECK_EQ(p99(3, 4, ir::DType::i64), 0);
  CHECK_EQ(p99(1, 2), doctest::Approx(1 << 23).epsilon(0.04));
  check::UlpCounts counts(ir::DType::f32);
  for (int i = 0; i < 99; ++i) counts.add(1, 1 + std::ldexp(3, -23));
  counts.add(1, 2);
  CHECK_EQ(counts.p99(), 3);
  counts.add(1, 2);
  CHECK_GT(counts.p99(), 1e6);
}

TEST_CASE("a ratio of outliers may be outside") {
  std::vector<float> expected(10000, 1);
  std::vector<float> actual = expected;
  actual[17] = 2;
  CHECK(agree(f32(expected), f32(actual), level(Level::super)));
  CHECK_FALSE(agree(f32(expected), f32(actual), level(Level::very)));
  actual[9999] = 2;
  CHECK_FALSE(agree(f32(expected), f32(actual), level(Level::super)));
  CHECK_EQ(check::compare(f32(expected), f32(actual), level(Level::super)).outliers, 2);
}

TEST_CASE("integers and booleans are exact at every level") {
  CHECK(agree(i64({1, -5}), i64({1, -5}), level(Level::ultra)));
  CHECK_FALSE(agree(i64({1000000}), i64({1000001}), level(Level::ultra)));
  CHECK_FALSE(agree(i64({1}), i64({2}), custom(10, 10, 1e-9)));
  const int64_t large = int64_t{1} << 53;
  CHECK_FALSE(agree(i64({large}), i64({large + 1}), level(Level::ultra)));
  CHECK_EQ(check::compare(i64({large}), i64({large + 1}), {}).max_abs, 1);
  const auto boolean = [](uint8_t value) {
    return ir::tensor_of<uint8_t>(ir::DType::boolean, {1}, {value});
  };
  CHECK(agree(boolean(1), boolean(1), level(Level::ultra)));
  CHECK_FALSE(agree(boolean(1), boolean(0), level(Level::ultra)));
}

TEST_CASE("half types widen exactly") {
  const auto half = [](float value) { return ir::tensor_of<float>(ir::DType::f16, {1}, {value}); };
  CHECK(agree(half(1), half(1.005F), {}));
  CHECK_FALSE(agree(half(1), half(1.008F), {}));
}

TEST_CASE("strided tensors compare by position") {
  ir::Tensor transposed = ir::tensor_of<float>(ir::DType::f32, {2, 3}, {0, 1, 2, 3, 4, 5});
  transposed.shape = {3, 2};
  transposed.strides = {1, 3};
  const ir::Tensor rows = ir::tensor_of<float>(ir::DType::f32, {3, 2}, {0, 3, 1, 4, 2, 5});
  CHECK(agree(transposed, rows, level(Level::exact)));
}

TEST_CASE("shapes and dtypes must be equal, and the words say which is which") {
  const ir::Tensor a = ir::allocate(ir::DType::f32, {2, 3}).tensor;
  const Deviation shape = check::compare(a, ir::allocate(ir::DType::f32, {3, 2}).tensor, {});
  CHECK_EQ(shape.verdict, Verdict::differs);
  CHECK_EQ(check::mismatch_text("y", shape), "'y': shape [3,2], expected [2,3]");
  CHECK_EQ(check::compare(a, ir::allocate(ir::DType::f32, {6}).tensor, {}).mismatch,
           "shape [6], expected [2,3]");
  CHECK_EQ(check::compare(a, ir::allocate(ir::DType::f64, {2, 3}).tensor, {}).mismatch,
           "dtype f64, expected f32");
}

TEST_CASE("complex tensors compare as pairs") {
  ir::Tensor complex = ir::tensor_of<float>(ir::DType::f32, {4}, {1, 2, 3, 4});
  complex.dtype = ir::DType::c64;
  complex.shape = {2};
  complex.strides = {1};
  const ir::Tensor pairs = ir::tensor_of<float>(ir::DType::f32, {2, 2}, {1, 2, 3, 4});
  const ir::Tensor other = ir::tensor_of<float>(ir::DType::f32, {2, 2}, {1, 2, 3, 5});
  CHECK(agree(complex, complex, level(Level::exact)));
  CHECK(agree(complex, pairs, level(Level::exact)));
  CHECK_EQ(check::compare(complex, other, {}).worst, ir::Ints{1, 1});
  CHECK_FALSE(agree(complex, ir::allocate(ir::DType::f64, {2, 2}).tensor, {}));
}

double moved(const ir::Tensor& before, const std::vector<ir::Tensor>& after) {
  check::Movement movement;
  for (const ir::Tensor& each : after) movement.see(before, each, custom(0, 0.01));
  return movement.share();
}

TEST_CASE("elements move once, in any set, by twenty tolerances") {
  const ir::Tensor before = f32({100, 100, 100, 100});
  CHECK_EQ(moved(before, {}), 0);
  CHECK_EQ(moved(before, {before}), 0);
  CHECK_EQ(moved(before, {f32({119, 120, 100, 100})}), 0.25);
  CHECK_EQ(moved(before, {f32({119, 120, 100, 100}), f32({0, 100, 100, 100})}), 0.5);
  CHECK_EQ(moved(before, {f32({1, 2})}), 1);
  CHECK_EQ(moved(i64({3, 4}), {i64({3, 5})}), 0.5);
  CHECK_EQ(moved(f32({1, 1}), {f32({1, kNan})}), 0.5);
}

TEST_CASE("the response is the median of the largest moves") {
  const auto median = [](const ir::Tensor& before, const std::vector<ir::Tensor>& after) {
    check::Movement movement;
    for (const ir::Tensor& each : after) movement.see(before, each, custom(0, 0.01));
    return movement.median();
  };
  const ir::Tensor before = f32({100, 100, 100});
  CHECK_EQ(median(before, {f32({101, 105, 190})}), doctest::Approx(5));
  CHECK_EQ(median(before, {f32({101, 105, 190}), f32({107, 100, 100})}), doctest::Approx(7));
  CHECK_EQ(median(before, {}), 0);
  CHECK(std::isinf(median(i64({3}), {i64({4})})));
}

TEST_CASE("the absolute tolerance is that of the row, or of an image's channel") {
  std::vector<float> expected(32, 1);
  for (size_t i = 16; i < 32; ++i) expected[i] = 0.01F;
  std::vector<float> actual = expected;
  actual[20] += 5e-5F;  // well below 1e-4, but of a row a hundred times smaller
  const auto differs = [&](const ir::Ints& shape) {
    return !agree(ir::tensor_of(ir::DType::f32, shape, expected),
                  ir::tensor_of(ir::DType::f32, shape, actual), {});
  };
  CHECK(differs({2, 16}));
  CHECK(differs({2, 2, 8}));
  CHECK(differs({1, 2, 4, 4}));
  CHECK_FALSE(differs({32}));
  CHECK_FALSE(differs({16, 2, 1}));  // a handful is no row: all 32 elements are one
}

TEST_CASE("rounding that torch itself has is no fault, a larger one is") {
  const ir::Tensor exact = ir::tensor_of<double>(ir::DType::f64, {4}, {1, 2, 3, 4});
  const ir::Tensor torch = f32({1.01F, 2, 3, 3.99F});
  const auto f64_distance = [&](const std::vector<float>& result) {
    return *check::measure(exact, torch, f32(result));
  };
  CHECK(f64_distance({0.99F, 2.01F, 3, 4}).is_as_near());
  CHECK_EQ(f64_distance({0.99F, 2.01F, 3, 4}).ratio(ir::DType::f32),
           doctest::Approx(1).epsilon(1e-3));
  CHECK_FALSE(f64_distance({0.99F, 2.01F, 3, 4.1F}).is_as_near());
  CHECK_FALSE(check::measure(exact, torch, i64({1, 2, 3, 4})));
  CHECK_FALSE(check::measure(exact, torch, f32({1})));
  // The mean and the largest both count.
  const auto as_near = [&](float torch_off, const std::vector<float>& off) {
    const ir::Tensor zeros = ir::tensor_of<double>(ir::DType::f64, {4}, {0, 0, 0, 0});
    return check::measure(zeros, f32({torch_off, 0.01F, 0.01F, 0.01F}), f32(off))->is_as_near();
  };
  CHECK(as_near(0.01F, {0.03F, 0.03F, 0, 0}));
  CHECK_FALSE(as_near(0.01F, {0.05F, 0, 0, 0}));
  CHECK_FALSE(as_near(0.02F, {0.07F, 0.07F, 0.07F, 0.07F}));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK_FALSE(check::measure(exact, torch, f32({nan, nan, nan, nan})));
  // What f64 has no number for is no measure of what torch has one for.
  const std::vector<double> holes = {1, 2, 3, std::numeric_limits<double>::infinity()};
  const ir::Tensor without = ir::tensor_of(ir::DType::f64, {4}, holes);
  CHECK(check::measure(without, torch, f32({1, 2, 3, 3.99F})));
  CHECK_FALSE(check::measure(without, torch, f32({1, 2, 3, 7})));
  // Of what torch has right to the last bit, a rounding of the type is the unit.
  const check::F64Distance fine =
      *check::measure(exact, f32({1, 2, 3, 4}), f32({1, 2, 3, 4.00001F}));
  CHECK_GT(fine.ratio(ir::DType::f32), 10);
}

TEST_CASE("the effect of rounding raises the yardstick, up to a hundredth of the values") {
  const auto of = [](const std::vector<double>& values) {
    return ir::tensor_of(ir::DType::f64, {4}, values);
  };
  const ir::Tensor exact = of({1, 2, 3, 4}), torch = exact;
  const auto measured = check::measure(exact, torch, of({1.03, 2, 3, 4}));
  REQUIRE(measured.has_value());
  CHECK_FALSE(measured->is_as_near());
  CHECK(check::widened(*measured, exact, of({1.01, 2, 3, 4})).is_as_near());
  CHECK_FALSE(check::widened(*measured, exact, of({1.001, 2, 3, 4})).is_as_near());
  const auto unstable = check::widened(*measured, exact, of({1.2, 2, 3, 4}));
  CHECK_FALSE(unstable.is_as_near());
  CHECK(unstable.is_unstable);
  const auto far = check::measure(exact, torch, of({9, 2, 3, 4}));
  CHECK_FALSE(check::widened(*far, exact, of({1.2, 2, 3, 4})).is_unstable);
}

TEST_CASE("a few roundings of the largest element are noise, only in f32") {
  const auto is_near = [](ir::DType dtype, double off) {
    const std::vector<double> values = {1, 0}, result = {1, off};
    const ir::Tensor exact = ir::tensor_of(ir::DType::f64, {2}, values);
    const ir::Tensor torch = ir::tensor_of(dtype, {2}, values);
    return check::measure(exact, torch, ir::tensor_of(dtype, {2}, result))->is_as_near();
  };
  CHECK(is_near(ir::DType::f32, 5e-6));
  CHECK_FALSE(is_near(ir::DType::f32, 1e-5));
  CHECK_FALSE(is_near(ir::DType::f16, 0.05));
  CHECK_FALSE(is_near(ir::DType::bf16, 0.4));
}

}  // namespace
}  // namespace t2n::test
