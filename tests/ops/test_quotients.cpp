// SPDX-License-Identifier: Apache-2.0
// Quotients whose last bit becomes a step, for operands that lie at ties.
#include <limits>

#include "tests/ops/expressions.h"
#include "tests/support/strict_case.h"

namespace t2n::test::quotients_tests {
namespace {

using ir::DType;

const ir::Tensor kInts = randint({2, 3}, -7, 8, 3);
const ir::Tensor kDivisors = values({3}, {-3, 2, 5}, DType::i64);
const double kNan = std::numeric_limits<double>::quiet_NaN();
const double kInf = std::numeric_limits<double>::infinity();

/// Multiples of half a step: an error in the last bit is a step where the quotient is rounded.
ir::Tensor ties(double step, DType dtype) {
  const double half = dtype == DType::f64 ? step * 0.5 : static_cast<float>(step * 0.5);
  std::vector<double> out;
  for (int i = -300; i < 300; ++i) out.push_back(half * i);
  return values({20, 30}, out, dtype);
}

/// check_each without strict NNEF, which has neither f64 nor f16.
void check_in_engines(const std::vector<std::string>& expressions,
                      const std::vector<ir::Tensor>& inputs, double tolerance = 1e-5) {
  for (const std::string& expression : expressions)
    for (const target::Target& target : test_targets()) {
      CAPTURE(expression);
      CAPTURE(target::target_name(target));
      Run run = export_and_run(expression_script(expression, inputs.size()), inputs, target);
      drop_strict_case(run);
      CHECK_CLOSE(run, rel(tolerance));
    }
}

TEST_CASE("quotients are right in the last bit where they are rounded later") {
  for (const double step : {0.3, 0.037, 1.0 / 127, 49.0, -0.1}) {
    const std::string s = std::to_string(step), q = "x / " + s;
    const std::vector<std::string> forms = {
        "torch.floor(" + q + " + 0.5)",
        "torch.round(x / torch.tensor(" + s + "))",
        "torch.clamp(torch.round(x.div(" + s + ")), -8, 7) * " + s,
        "(" + q + ").reshape(-1).long()",
        "torch.abs(x) / " + s + " >= 3",
        "torch.ceil(torch.cat([" + q + ", x]))",
        "torch.trunc(torch.stack([" + q + ", x / 7]))",
        "torch.floor(torch.constant_pad_nd(" + q + ", [1, 1]))",
        "torch.floor((" + q + ") ** 2)",
        "torch.floor(x.clone().index_put([torch.tensor([1])], (" + q + ")[1]))",
        "torch.round((" + q + ").amax(0))"};
    check_each(forms, {ties(step, DType::f32)});
    check_in_engines(forms, {ties(step, DType::f64)}, 1e-9);
  }
  check_in_engines({"torch.round(x / 49.0)", "torch.floor(x / y)"},
                   {ties(49, DType::f16), ties(0.3, DType::f16)});
  check_each({"torch.floor(x / y)", "torch.round(x / y[0])", "torch.floor(torch.addcdiv(x, x, y))",
              "torch.round(x, decimals=-1)", "torch.round(x, decimals=-1) / 0.3 > 4",
              "torch.histc(x, 30, -15.0, 15.0)"},
             {ties(0.3, DType::f32), values({20, 30}, std::vector<double>(600, 0.3))});
  check_each({"torch.floor(x / y)", "torch.round(x / y)"}, {kInts, kDivisors});
  // Sums of whole quotients are whole.
  std::vector<double> tenths;
  for (int i = 0; i < 60; ++i) tenths.push_back(static_cast<float>(i * 0.1));
  check_each({"torch.floor((x / 0.1).sum(1))", "torch.floor((x / 0.1).cumsum(0))",
              "torch.floor((x / 0.1).prod(1))", "(x / y).sum(1).long()"},
             {values({20, 3}, tenths), values({1}, {0.1})});
  // Zeros, infinities and NaN divide as ever.
  const ir::Tensor ends = values({6}, {0, -0.0, 1, kInf, -kInf, kNan}, DType::f64);
  check_in_engines({"torch.floor(x / 0.3)", "torch.floor(x.unsqueeze(1) / y)"}, {ends, ends});
}

TEST_CASE("roundings that are clamped to small numbers are sums, but where a zero's sign matters") {
  const ir::Tensor x = values({14}, {0.5, 1.5, -2.5, -0.3, 0.3, 7.49, -8.5, 1e9, -1e9, 4194304.5,
                                     8388609, 3e38, kInf, -kInf});
  const auto is_sum = [&](const std::string& expression) {
    return export_text(expression_script(expression, 1), {x}, target::parse_target("tract"))
               .find("12582912.0") != std::string::npos;
  };
  const std::vector<std::string> sums = {"torch.clamp(torch.round(x), -8, 7)",
                                         "torch.clamp(torch.round(x * 0.3) + 3, 0, 255) - 3",
                                         "torch.clamp(torch.round(x), -8, 7) / 8"};
  const std::vector<std::string> others = {
      "torch.round(x)", "torch.clamp(torch.round(x), min=0)",
      "torch.clamp(torch.round(x), -8, 2000000)", "1 / torch.clamp(torch.round(x), -8, 7)",
      "torch.copysign(x[:2], torch.clamp(torch.round(x[3:5]), -8, 7))"};
  for (const std::string& each : sums) CHECK_MESSAGE(is_sum(each), each);
  for (const std::string& each : others) CHECK_FALSE_MESSAGE(is_sum(each), each);
  check_each(sums, {x});
  check_in_engines(others, {x});  // strict NNEF's rounding has no -0.0
}

}  // namespace
}  // namespace t2n::test::quotients_tests
