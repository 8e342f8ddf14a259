// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "tests/ops/expressions.h"

namespace t2n::test::elementwise_tests {
namespace {

using ir::DType;

const ir::Tensor kX = randn({2, 3, 4}, 1);
const ir::Tensor kY = randn({3, 1}, 2);
const ir::Tensor kInts = randint({2, 3}, -7, 8, 3);
const ir::Tensor kDivisors = values({3}, {-3, 2, 5}, DType::i64);
const double kNan = std::numeric_limits<double>::quiet_NaN();
const double kInf = std::numeric_limits<double>::infinity();

TEST_CASE("sums and products broadcast, scale by alpha and take numbers on either side") {
  check_each({"x + y",
              "torch.add(x, y, alpha=2.5)",
              "x + 3",
              "torch.add(x, 2, alpha=3)",
              "x - y",
              "torch.sub(x, y, alpha=-2)",
              "torch.sub(x, 1.5)",
              "torch.rsub(x, y, alpha=2)",
              "torch.rsub(x, 2.0, alpha=3)",
              "2 - x",
              "x * y",
              "x * 0.5",
              "torch.multiply(x, y)",
              "torch.subtract(x, y, alpha=3)",
              "torch.sub(x, 1.5, alpha=3)",
              "torch.subtract(x, 2, alpha=-2)",
              "torch.rsub(x, y)",
              "torch.positive(x + 1.0)",
              "x * x",
              "x + 1.0 * y",
              "x.add_(y)",
              "x.mul_(2).sub_(y)"},
             {kX, kY});
}

/// TorchScript compiles it to sub; numbers over sizes that become tensors bring it back.
TEST_CASE("rsub of two tensors") {
  for (const std::string form : {"torch.rsub(x, y)", "torch.rsub(x, y, alpha=2)"})
    for (const target::Target& target : test_targets()) {
      CAPTURE(form);
      Script model = expression_script(form, 2);
      model.edit = [](ir::Graph& graph) {
        for (ir::Node& node : graph.nodes) {
          if (node.op != ir::op_id("aten::sub.Tensor")) continue;
          node.op = ir::op_id("aten::rsub.Tensor");
          std::swap(node.args[0].value, node.args[1].value);
        }
      };
      CHECK_CLOSE(export_and_run(model, {kX, kY}, target), rel(1e-6));
    }
}

TEST_CASE("arithmetic of rank 0") {
  check_each({"x + y", "x - 2", "y * x", "x / y", "torch.pow(x, 2)", "-x", "x.clamp(min=0.5)",
              "torch.where(x > y, x, y)", "torch.round(x)", "torch.floor_divide(x, y)"},
             {values({}, {1.5}), values({}, {-0.75})});
}

TEST_CASE("quotients by -1, and of infinity") {
  for (const DType dtype : {DType::i64, DType::i32, DType::i16, DType::i8})
    check_each({"x // y", "x % y", "torch.fmod(x, y)", "x // -1"},
               {values({4}, {0, 5, -7, -127}, dtype), values({4}, {-1, -1, 2, -1}, dtype)});
  // The least integer is divided, but not by the -1 beside it.
  check_each({"x // y", "x % y", "torch.div(x, y, rounding_mode='trunc')"},
             {values({2}, {-2147483648.0, 7}, DType::i32), values({2}, {2, -1}, DType::i32)});
  check_each({"x // y", "x % y"},
             {values({3}, {0, 5, 200}, DType::u8), values({3}, {255, 2, 255}, DType::u8)});
  check_each({"x // 2", "x // y"}, {values({3}, {kInf, -kInf, 5}), values({3}, {2, 0, -2})});
}

TEST_CASE("arithmetic of integers wraps around, also of a number with itself") {
  for (const DType dtype : {DType::i64, DType::i32, DType::i16, DType::i8, DType::u8})
    check_each({"x + y",
                "x - y",
                "x * y",
                "x * x",
                "torch.add(x, y, alpha=2)",
                "3 * x",
                "-x",
                "torch.square(x)",
                "x ** 2",
                "x ** 3",
                "torch.sign(x)",
                "torch.abs(x)",
                "torch.maximum(x, y)",
                "torch.minimum(x, 0 * y)",
                "x.clamp(1, 5)",
                "(x + 1) * (x + 1)",
                "x.floor()",
                "x.round()",
                "torch.trunc(x)",
                "torch.addcmul(x, x, y, value=2)"},
               {values({5}, {0, 1, 3, 101, 127}, dtype), values({5}, {2, 5, 1, 2, 100}, dtype)});
}

TEST_CASE("dtypes promote as in torch") {
  check_each({"x + y", "x * y", "y - x", "x / 2", "x + 0.5", "y / x", "x < y", "torch.pow(x, y)",
              "torch.maximum(x, y)", "torch.where(y > 0, x, y)", "torch.lerp(y, y + 1, 0.25)",
              "torch.clamp(x, max=2.5)", "x.sqrt()", "torch.exp(x)", "torch.atan2(x, y)"},
             {values({3}, {1, 2, 3}, DType::i64), values({3}, {0.5, -1.5, 2})});
  check_each({"x + y", "x * y", "(y > 0) + (y < 1)", "(y > 0) * (y < 1)", "x + (y > 0)"},
             {values({3}, {1, 2, 3}, DType::i32), values({3}, {0.5, -1.5, 2}, DType::f64)});
}

TEST_CASE("half and double precision") {
  const std::vector<std::string> expressions = {"x + y",
                                                "x * 0.1",
                                                "x / y",
                                                "torch.exp(x)",
                                                "torch.tanh(x)",
                                                "torch.sigmoid(x)",
                                                "torch.abs(x)",
                                                "torch.round(x)",
                                                "torch.clamp(x, -0.3, 0.7)",
                                                "torch.log1p(x * x)",
                                                "torch.expm1(x)",
                                                "x ** 3",
                                                "torch.lerp(x, y, 0.3)",
                                                "torch.where(x > 0, x, 0.1)",
                                                "torch.isinf(x / 0)",
                                                "torch.trunc(3 * x)",
                                                "torch.atan2(x, y)",
                                                "torch.hypot(x, y)",
                                                "torch.logaddexp(x, y)",
                                                "torch.addcdiv(x, y, x, value=0.5)",
                                                "torch.nan_to_num(x / 0)"};
  check_each(expressions, {randn({3, 4}, 4, DType::f16), randn({4}, 5, DType::f16)}, 4e-3);
  check_each(expressions, {randn({3, 4}, 4, DType::f64), randn({4}, 5, DType::f64)}, 1e-12);
}

TEST_CASE("true division, and division rounded down or towards zero") {
  const std::vector<std::string> forms = {"x / y",
                                          "torch.div(x, y)",
                                          "torch.div(x, y, rounding_mode=None)",
                                          "torch.div(x, y, rounding_mode='trunc')",
                                          "torch.div(x, y, rounding_mode='floor')",
                                          "torch.div(x, 2, rounding_mode='trunc')",
                                          "torch.div(x, -4, rounding_mode='floor')",
                                          "torch.div(x, 2, rounding_mode='floor')",
                                          "torch.div(x, 3.0, rounding_mode='trunc')",
                                          "torch.true_divide(x, y)",
                                          "torch.true_divide(x, 2)",
                                          "x // y",
                                          "x // 2",
                                          "x // -3",
                                          "torch.floor_divide(x, 2.5)",
                                          "x % y",
                                          "x % 3",
                                          "x % -4",
                                          "torch.remainder(x, 2.5)",
                                          "torch.remainder(7, y)",
                                          "torch.fmod(x, y)",
                                          "torch.fmod(x, 4)",
                                          "torch.fmod(x, -2.5)"};
  check_each(forms, {kInts, kDivisors});
  check_each(forms, {randint({2, 3}, -9, 9, 6, DType::i32), values({3}, {-4, 2, 8}, DType::i32)});
  check_each(forms, {uniform({2, 3}, -9, 9, 7), values({3}, {-1.5, 2, 0.75})});
}

TEST_CASE("quotients next to an integer round as in torch") {
  // 1 / 0.1f is a little less than 10, and rounds to 10 in f32.
  check_each({"x // y", "x % y", "torch.fmod(x, y)"},
             {values({4}, {1, 0.3, 0.7, -1}), values({4}, {0.1, 0.1, 0.1, 0.1})}, 1e-6);
  check_each(
      {"x % y", "torch.fmod(x, y)"},
      {values({4}, {1, 3000, 7, -1}, DType::f16), values({4}, {0.1, 0.7, 0.3, 0.2}, DType::f16)},
      1e-3);
  check_each({"torch.fmod(x, y)", "torch.remainder(x, y)"},
             {values({2}, {5, -5}), values({2}, {kInf, -kInf})});
}

TEST_CASE("functions of one operand") {
  check_each(
      {"torch.neg(x)",      "torch.abs(x)",           "torch.sign(x)",     "torch.sgn(x)",
       "torch.exp(x)",      "torch.exp2(x)",          "torch.expm1(x)",    "torch.reciprocal(x)",
       "torch.square(x)",   "torch.sin(x)",           "torch.cos(x)",      "torch.tan(x)",
       "torch.atan(x)",     "torch.sinh(x)",          "torch.cosh(x)",     "torch.tanh(x)",
       "torch.asinh(x)",    "torch.floor(3 * x)",     "torch.ceil(3 * x)", "torch.trunc(3 * x)",
       "torch.fix(3 * x)",  "torch.frac(3 * x)",      "torch.erf(x)",      "torch.erfc(4 * x)",
       "torch.sigmoid(x)",  "torch.special_expit(x)", "torch.positive(x)", "torch.signbit(x)",
       "torch.deg2rad(x)",  "torch.rad2deg(x)",       "torch.sinc(x)",     "torch.logit(x, 0.1)",
       "torch.negative(x)", "torch.absolute(x)"},
      {kX});
  check_each({"torch.log(x)", "torch.log2(x)", "torch.log10(x)", "torch.log1p(x)", "torch.sqrt(x)",
              "torch.rsqrt(x)", "torch.asin(x)", "torch.acos(x)", "torch.acosh(x + 1)",
              "torch.atanh(0.9 * x)", "torch.logit(x)", "torch.special_log1p(x)"},
             {uniform({2, 5}, 0.01, 0.99, 8)});
}

TEST_CASE("exp(x) - 1 and log(1 + x) keep their digits near zero") {
  check_each({"torch.expm1(x) / x", "torch.log1p(x) / x"},
             {values({6}, {1e-7, -1e-5, 1e-3, 0.4, 0.6, -0.9})}, 1e-6);
  check_each({"torch.expm1(x)", "torch.log1p(x)"}, {values({4}, {kInf, kNan, -1, 1e30})});
}

TEST_CASE("the error function and its complement in double precision") {
  check_each({"torch.erf(x)", "torch.erfc(x)", "torch.special_erf(x)"},
             {values({10}, {-6, -1, -0.3, 0, 1e-9, 0.5, 1, 2.5, 8, 26}, DType::f64)}, 1e-13);
  check_each({"torch.erf(x)", "torch.erfc(x)"}, {values({3}, {kInf, -kInf, kNan}, DType::f64)});
}

TEST_CASE("rounding goes to even, and to decimals") {
  const std::vector<double> halves = {0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.49, 3.51};
  for (const DType dtype : {DType::f32, DType::f64, DType::f16})
    check_each({"torch.round(x)", "torch.round(10 * x, decimals=-1)", "x.round_()"},
               {values({8}, halves, dtype)});
  check_each({"torch.round(x, decimals=2)", "torch.round(x, decimals=0)"}, {kX});
}

TEST_CASE("powers") {
  check_each({"torch.pow(x, y)", "torch.pow(x, 3)", "torch.pow(x, 0.5)", "torch.pow(x, -0.5)",
              "torch.pow(x, -1)", "torch.pow(2, x)", "torch.pow(0.5, y)", "x ** 2.5", "x ** 0",
              "torch.float_power(x, 2)", "torch.float_power(x, y)", "torch.float_power(3, y)"},
             {uniform({2, 3}, 0.2, 3, 9), randn({3}, 10)});
  check_each({"x ** 2", "x ** 3", "torch.pow(x, 1)"}, {kX});
  check_each({"torch.pow(x, y)", "torch.pow(2, y.abs())", "torch.pow(x, 2)", "torch.pow(x, 5)",
              "torch.pow(x, 2.0)", "torch.float_power(x, 2)"},
             {values({6}, {-1, 1, 0, 2, -3, -1}, DType::i64),
              values({6}, {-3, -2, -1, -1, 3, 4}, DType::i64)});
}

TEST_CASE("functions of two operands") {
  check_each({"torch.maximum(x, y)", "torch.minimum(x, y)", "torch.max(x, y)", "torch.min(x, y)",
              "torch.fmax(x, y)", "torch.fmin(x, y)", "torch.atan2(x, y)", "torch.arctan2(x, y)",
              "torch.hypot(x, y)", "torch.copysign(x, y)", "torch.copysign(x, -1.0)",
              "torch.logaddexp(x, y)", "torch.xlogy(x, y.abs())", "torch.xlogy(2.0, y.abs())",
              "torch.xlogy(x, 3.0)", "torch.heaviside(x, y)", "torch.isclose(x, y, 0.1, 0.5)"},
             {kX, kY});
  check_each({"torch.atan2(x, y)"},
             {values({6}, {0, 0, 1, -1, 0, 2}), values({6}, {0, -1, 0, 0, 1, -3})});
  check_each({"torch.atan2(x, y)"}, {values({7}, {-0.0, 0, kInf, kInf, -kInf, -0.0, 0}),
                                     values({7}, {-1, -0.0, kInf, -kInf, -kInf, -0.0, 0})});
  check_each({"torch.isclose(x, y, 0.0, 0.5)"},
             {values({2}, {16777217, 7}, DType::i64), values({2}, {16777216, 6}, DType::i64)});
  check_each({"torch.hypot(x, x)", "torch.logaddexp(x, x)"}, {values({3}, {1e30, 1e-30, 300})});
  check_each({"torch.hypot(x, x)"}, {values({3}, {1e200, 1e-200, 0}, DType::f64)});
  check_each({"torch.xlogy(x, x)"}, {values({3}, {0, 1, 2})});
  check_each({"torch.logaddexp(x, x)"}, {values({2}, {-kInf, kInf})});
}

TEST_CASE("logarithms of powers are integers") {
  for (const DType dtype : {DType::f32, DType::f64})
    check_each({"torch.floor(torch.log2(x))", "torch.ceil(torch.log10(x))"},
               {values({9}, {8, 64, 8192, 32768, 0.125, 1, 3, 1e9, 1000}, dtype)}, 0);
  check_each({"torch.log2(x)", "torch.log10(x)"}, {values({4}, {0, kInf, -0.0, 1e-40})});
}

TEST_CASE("interpolation from the nearer end is exact") {
  const ir::Tensor x = values({3}, {1e8, 2, -3}), end = values({3}, {1, 3, 5});
  check_each({"torch.lerp(x, y, 1.0)", "torch.lerp(x, y, 0.0)", "torch.lerp(x, y, z)"},
             {x, end, values({3}, {1, 0, 0.75})}, 0);
}

TEST_CASE("combinations of three operands") {
  const ir::Tensor end = randn({2, 3, 4}, 11);
  check_each({"torch.lerp(x, z, 0.3)", "torch.lerp(x, z, y)", "torch.addcmul(x, y, z)",
              "torch.addcmul(x, y, z, value=-0.5)", "torch.addcdiv(x, y, z.abs() + 1)",
              "torch.addcdiv(x, y, z.abs() + 1, value=2)"},
             {kX, kY, end});
}

TEST_CASE("clamping") {
  check_each({"torch.clamp(x, -0.5, 0.5)", "torch.clamp(x, min=0)", "torch.clamp(x, max=0.25)",
              "torch.clamp(x, 1, -1)", "torch.clip(x, -1, 1)", "torch.clamp_min(x, 0.1)",
              "torch.clamp_max(x, 0.1)", "torch.clamp(x, y, None)", "torch.clamp(x, None, y)",
              "torch.clamp(x, y, y + 1)", "torch.clamp_min(x, y)", "torch.clamp_max(x, y)",
              "x.clamp_(min=0)", "torch.clamp(x > 0, min=2)", "(x > y).clamp(0, 5)"},
             {kX, kY});
}

TEST_CASE("comparisons of any dtype, with tensors and numbers") {
  const std::vector<std::string> forms = {"x == y",
                                          "x != y",
                                          "x < y",
                                          "x <= y",
                                          "x > y",
                                          "x >= y",
                                          "x == 1",
                                          "x != 1",
                                          "x < 1",
                                          "x <= 1",
                                          "x > 1",
                                          "x >= 1",
                                          "torch.greater(x, y)",
                                          "torch.less_equal(x, 1)",
                                          "torch.not_equal(x, y)"};
  const std::vector<double> data = {0, 1, 1, 0, 1, 1};
  for (const DType dtype : {DType::f32, DType::i64, DType::u8, DType::boolean, DType::f16})
    check_each(forms, {values({2, 3}, data, dtype), values({3}, {1, 1, 0}, dtype)});
  check_each({"x > 0.5", "x == 1.0", "x < True"}, {values({3}, {0, 1, 2}, DType::i64)});
}

TEST_CASE("logical and bitwise operations") {
  const std::vector<std::string> logical = {"torch.logical_and(x, y)", "torch.logical_or(x, y)",
                                            "torch.logical_xor(x, y)", "torch.logical_not(x)"};
  const std::vector<std::string> bitwise = {"x & y",
                                            "x | y",
                                            "x ^ y",
                                            "~x",
                                            "torch.bitwise_and(x, y)",
                                            "torch.bitwise_or(x, y)",
                                            "torch.bitwise_xor(x, y)",
                                            "torch.bitwise_or(5, y)",
                                            "torch.bitwise_xor(5, y)",
                                            "torch.bitwise_not(x)",
                                            "x.logical_and_(y)"};
  const ir::Tensor x = values({4}, {0, 1, 1, 0}, DType::boolean);
  const ir::Tensor y = values({4}, {0, 0, 1, 1}, DType::boolean);
  check_each(logical, {x, y});
  check_each(bitwise, {x, y});
  check_each(logical, {values({4}, {0, 1.5, -2, kNan}), values({4}, {1, 0, 3, 0}, DType::i64)});
  for (const DType dtype : {DType::i64, DType::i32, DType::u8}) {
    const ir::Tensor a = values({4}, {12, 7, 255, 1}, dtype), b = values({4}, {10, 1, 3, 0}, dtype);
    check_each(bitwise, {a, b});
    check_each({"x & 6", "x | 6", "x ^ 6", "torch.bitwise_and(6, x)"}, {a});
  }
}

TEST_CASE("shifts, also by more bits than there are") {
  const std::vector<std::string> forms = {"x << y",
                                          "x >> y",
                                          "x << 2",
                                          "x >> 1",
                                          "torch.bitwise_left_shift(x, y)",
                                          "torch.bitwise_right_shift(x, 2)",
                                          "torch.bitwise_left_shift(3, y)",
                                          "torch.bitwise_right_shift(-64, y)"};
  for (const DType dtype : {DType::i64, DType::i32})
    check_each(forms, {values({4}, {5, -9, 3, -1}, dtype), values({4}, {1, 2, 70, 3}, dtype)});
  check_each({"x << y", "x >> y", "x >> 9", "x << 9"},
             {values({4}, {200, 255, 9, 1}, DType::u8), values({4}, {9, 7, 0, 200}, DType::u8)});
}

TEST_CASE("NaN and infinity are found and replaced") {
  for (const DType dtype : {DType::f32, DType::f64, DType::f16}) {
    const ir::Tensor x = values({7}, {kNan, kInf, -kInf, 0, -0.0, 1.5, -2.5}, dtype);
    check_each(
        {"torch.isnan(x)", "torch.isinf(x)", "torch.isfinite(x)", "torch.isposinf(x)",
         "torch.isneginf(x)", "torch.nan_to_num(x)", "torch.nan_to_num(x, 1.5, 7.0, -8.0)",
         "torch.signbit(x[1:])", "torch.isclose(x, x)", "torch.isclose(x, x, equal_nan=True)"},
        {x});
  }
  check_each({"torch.isnan(x)", "torch.isinf(x)", "torch.isfinite(x)", "torch.nan_to_num(x)"},
             {kInts});
}

TEST_CASE("choices") {
  check_each(
      {"torch.where(x > 0, x, y)", "torch.where(x > y, x, 0.5)", "torch.where(x > 0, 1.0, y)",
       "torch.where(x > 0, 1, 2)", "torch.where(x > 0, 1.0, 2.5)", "x.masked_fill(y > 0, 0.25)",
       "x.masked_fill(x > 0, -float('inf'))", "x.masked_fill(x > 0, y[0, 0])",
       "x.masked_fill_(y > 0, 1)"},
      {kX, kY});
  check_each(
      {"torch.where(x > 0, x, 1)", "x.masked_fill(x > 0, 1.75)", "torch.where(x > 0, x, 0.5)"},
      {kInts});
  check_each({"torch.where(x, True, False)", "x.masked_fill(x, False)", "torch.where(x, x, ~x)"},
             {values({2}, {0, 1}, DType::boolean)});
}

TEST_CASE("copies and fills take the dtype and shape of self") {
  check_each({"torch.empty_like(x).copy_(y)", "torch.empty_like(x).fill_(2.5)",
              "torch.empty_like(x).fill_(y.sum())", "x.zero_() + y", "x.copy_(y > 0)"},
             {kX, kY});
  check_each({"x.clone().fill_(1.75)", "x.clone().copy_(y)"},
             {kInts, kX.shape.empty() ? kY : randn({3}, 12)});
}

TEST_CASE("integer quotients stay integers") {
  // tract multiplies by reciprocals, which are rounded.
  std::vector<double> numerators, divisors;
  for (int n = -60; n <= 60; n += 3)
    for (int d = 1; d <= 13; ++d) {
      numerators.push_back(n * d * 0.1);
      divisors.push_back((n % 2 == 0 ? -d : d) * 0.1);
    }
  const auto count = static_cast<int64_t>(numerators.size());
  check_each({"x // y", "x % y", "torch.fmod(x, y)", "torch.div(x, y, rounding_mode='trunc')",
              "torch.div(x, y, rounding_mode='floor')", "x // 0.3", "x % 7"},
             {values({count}, numerators), values({count}, divisors)});
  CHECK_EQ(refusal("x // y", {randn({3}, 1, DType::f64), randn({3}, 2, DType::f64)}),
           "error[unsupported-op]: aten::floor_divide has no translation for tract@0.23.9 here\n"
           "  --> the model (Model)\n"
           "  why:  tract divides by reciprocals: its quotient in f64 may be the next integer, "
           "which changes the result\n"
           "  help: compute it in float32\n");
}

}  // namespace
}  // namespace t2n::test::elementwise_tests
