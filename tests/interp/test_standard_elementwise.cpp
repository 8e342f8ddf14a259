// SPDX-License-Identifier: Apache-2.0
// Element by element: NNEF 1.0.5 §4.2 and the activation functions of §4.9.1, and tract's ways.
#include <doctest/doctest.h>

#include <cmath>
#include <functional>

#include "tests/interp/standard.h"
#include "tests/support/script.h"

namespace t2n::test {
namespace {

using ir::DType;
/// The same in the standard and in tract as the function of the C library.
void check_function(const std::string& name, const std::vector<double>& data,
                    const std::function<double(double)>& function, bool in_tract = true) {
  std::vector<double> expected;
  for (const double value : data) expected.push_back(function(value));
  const auto size = static_cast<int64_t>(data.size());
  const std::string call = name + "(x)";
  if (in_tract)
    check_everywhere(call, values({size}, data), values({size}, expected), 2e-6);
  else
    check_call(call, values({size}, data), values({size}, expected), 2e-6);
}

TEST_CASE("functions of one variable") {
  const std::vector<double> any = {-2, -0.5, 0, 0.25, 1, 3};
  check_function("exp", any, [](double x) { return std::exp(x); });
  check_function("sin", any, [](double x) { return std::sin(x); });
  check_function("cos", any, [](double x) { return std::cos(x); });
  check_function("tan", any, [](double x) { return std::tan(x); });
  check_function("sinh", any, [](double x) { return std::sinh(x); });
  check_function("cosh", any, [](double x) { return std::cosh(x); });
  check_function("tanh", any, [](double x) { return std::tanh(x); });
  check_function("atan", any, [](double x) { return std::atan(x); });
  check_function("asinh", any, [](double x) { return std::asinh(x); });
  check_function("neg", any, [](double x) { return -x; });
  check_function("abs", any, [](double x) { return std::fabs(x); });
  check_function("sqr", any, [](double x) { return x * x; });
  const std::vector<double> positive = {0.01, 0.5, 1, 2, 100};
  check_function("log", positive, [](double x) { return std::log(x); });
  check_function("log2", positive, [](double x) { return std::log2(x); });
  check_function("sqrt", positive, [](double x) { return std::sqrt(x); });
  check_function("rsqrt", positive, [](double x) { return 1 / std::sqrt(x); });
  check_function("rsqr", positive, [](double x) { return 1 / (x * x); });
  check_function(
      "rcp", positive, [](double x) { return 1 / x; }, /*in_tract=*/false);
  check_function("acosh", {1, 2, 10}, [](double x) { return std::acosh(x); });
  const std::vector<double> inside = {-0.9, -0.5, 0, 0.3, 0.99};
  check_function("asin", inside, [](double x) { return std::asin(x); });
  check_function("acos", inside, [](double x) { return std::acos(x); });
  check_function("atanh", inside, [](double x) { return std::atanh(x); });
}

TEST_CASE("signs and whole numbers") {
  check_everywhere("sign(x)", values({3}, {-2, 0, 0.5}), values({3}, {-1, 0, 1}));
  check_everywhere("floor(x)", values({4}, {-1.5, -0.5, 0.5, 2}), values({4}, {-2, -1, 0, 2}));
  check_everywhere("ceil(x)", values({4}, {-1.5, -0.5, 0.5, 2}), values({4}, {-1, 0, 1, 2}));
}

TEST_CASE("halves are rounded up by the standard, away from zero by tract") {
  const ir::Tensor halves = values({7}, {-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 0.49999997});
  check_call("round(x)", halves, values({7}, {-2, -1, 0, 1, 2, 3, 0}));
  check_agree({"out = round(x);", {halves}}, {values({7}, {-3, -2, -1, 1, 2, 3, 0})});
}

void check_binary(const std::string& operation, const std::vector<double>& expected,
                  DType dtype = DType::f32) {
  const ir::Tensor x = values({4}, {-3, 2, 2, 7});
  const ir::Tensor y = values({4}, {2, -1, 2, 0.5});
  const Statements statements = {"out = " + operation + "(x, y);", {x, y}};
  check_standard(statements, {values({4}, expected, dtype)});
  check_agree(statements, {values({4}, expected, dtype)}, 1e-5);
}

TEST_CASE("functions of two variables") {
  check_binary("add", {-1, 1, 4, 7.5});
  check_binary("sub", {-5, 3, 0, 6.5});
  check_binary("mul", {-6, -2, 4, 3.5});
  check_binary("div", {-1.5, -2, 1, 14});
  check_binary("pow", {9, 0.5, 4, 2.6457513});
  check_binary("min", {-3, -1, 2, 0.5});
  check_binary("max", {2, 2, 2, 7});
  check_binary("lt", {1, 0, 0, 0}, DType::boolean);
  check_binary("gt", {0, 1, 0, 1}, DType::boolean);
  check_binary("le", {1, 0, 1, 0}, DType::boolean);
  check_binary("ge", {0, 1, 1, 1}, DType::boolean);
  check_binary("eq", {0, 0, 1, 0}, DType::boolean);
  check_binary("ne", {1, 1, 0, 1}, DType::boolean);
}

TEST_CASE("logic") {
  const ir::Tensor x = values({4}, {0, 0, 1, 1}, DType::boolean);
  const ir::Tensor y = values({4}, {0, 1, 0, 1}, DType::boolean);
  const auto check = [&](const std::string& body, const std::vector<double>& expected) {
    check_standard({body, {x, y}}, {values({4}, expected, DType::boolean)});
    check_agree({body, {x, y}}, {values({4}, expected, DType::boolean)});
  };
  check("out = and(x, y);", {0, 0, 0, 1});
  check("out = or(x, y);", {0, 1, 1, 1});
  check("out = and(not(x), y);", {0, 1, 0, 0});
}

TEST_CASE("missing axes are the last") {
  const Statements statements = {"out = add(x, y);",
                                 {values({2}, {10, 20}), values({2, 3}, {1, 2, 3, 4, 5, 6})}};
  check_standard(statements, {values({2, 3}, {11, 12, 13, 24, 25, 26})});
  check_agree(statements, {values({2, 3}, {11, 12, 13, 24, 25, 26})});
  const Statements three = {"out = select(x, y, 0.5);",
                            {values({2}, {1, 0}, DType::boolean), values({2, 2}, {1, 2, 3, 4})}};
  check_standard(three, {values({2, 2}, {1, 2, 0.5, 0.5})});
  check_agree(three, {values({2, 2}, {1, 2, 0.5, 0.5})});
  check_standard({"out = clamp(x, y, z);",
                  {values({2, 2}, {-5, 5, -5, 5}), values({2}, {-1, -2}), values({1, 2}, {3, 4})}},
                 {values({2, 2}, {-1, 4, -2, 4})});
}

TEST_CASE("literals and rank 0") {
  check_everywhere("add(x, 1.5)", values({}, {2}), values({}, {3.5}));
  check_everywhere("mul(2.0, x)", values({2}, {1, 3}), values({2}, {2, 6}));
}

TEST_CASE("what a NaN does follows from the formulas") {
  const ir::Tensor x = values({3}, {kNaN, 1, -1});
  check_call("max(x, 0.0)", x, values({3}, {0, 1, 0}));
  check_call("max(0.0, x)", x, values({3}, {kNaN, 1, 0}));
  check_call("relu(x)", x, values({3}, {0, 1, 0}));
  check_agree({"out = max(x, y);", {x, values({3}, {2, 2, 2})}}, {values({3}, {2, 2, 2})});
}

TEST_CASE("activation functions") {
  const auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
  const std::vector<double> data = {-3, -1, -0.25, 0, 0.5, 4};
  check_function("sigmoid", data, sigmoid);
  check_function("relu", data, [](double x) { return x > 0 ? x : 0; });
  check_function("softplus", data, [](double x) { return std::log(std::exp(x) + 1); });
  check_function("elu", data, [](double x) { return x < 0 ? std::exp(x) - 1 : x; });
  check_function(
      "silu", data, [&](double x) { return x * sigmoid(x); }, false);
  check_function(
      "gelu", data, [&](double x) { return x * sigmoid(1.702 * x); }, false);
  check_function(
      "selu", data,
      [](double x) { return 1.05070102 * (x < 0 ? 1.67326319 * (std::exp(x) - 1) : x); }, false);
  const ir::Tensor x = values({2}, {-2, 3});
  check_everywhere("leaky_relu(x, alpha = 0.25)", x, values({2}, {-0.5, 3}));
  check_call("elu(x, alpha = 2.0)", x, values({2}, {-1.7293294, 3}));
  check_call("softplus(x)", values({1}, {100}), values({1}, {kInf}));
  const Statements prelu = {"out = prelu(x, y);",
                            {values({2, 2, 1}, {-1, -2, -3, 4}), values({1, 2}, {10, 100})}};
  check_standard(prelu, {values({2, 2, 1}, {-10, -200, -30, 4})});
  check_agree(prelu, {values({2, 2, 1}, {-10, -200, -30, 4})});
}

TEST_CASE("softmax over its axes") {
  const ir::Tensor x = values({1, 3}, {0, 0.6931471806, 1.0986122887});
  check_everywhere("softmax(x)", x, values({1, 3}, {1.0 / 6, 2.0 / 6, 3.0 / 6}));
  check_everywhere("softmax(x, axes = [0])", x, values({1, 3}, {1, 1, 1}));
  check_everywhere("softmax(x, axes = [0, 1])", values({2, 2}, {500, 500, 500, 500}),
                   values({2, 2}, {0.25, 0.25, 0.25, 0.25}));
}

TEST_CASE("sums and copies of several") {
  check_standard({"out = add_n([x, y, x]);", {values({2}, {1, 2}), values({1}, {10})}},
                 {values({2}, {12, 14})});
  check_standard({"[out, out2] = copy_n(x, times = 2);", {values({1}, {3}, DType::i64)}},
                 {values({1}, {3}, DType::i64), values({1}, {3}, DType::i64)});
  check_everywhere("copy(x)", values({2}, {1, 0}, DType::boolean),
                   values({2}, {1, 0}, DType::boolean));
}

TEST_CASE("mixed types are refused") {
  check_standard_refused({"out = add(x, y);", {values({1}, {1}), values({1}, {1}, DType::i64)}},
                         "'y' is a tensor<scalar>, not a tensor of i64 [1]");
  check_standard_refused({"out = select(x, y, 0.0);",
                          {values({1}, {1}, DType::boolean), values({1}, {1}, DType::i64)}},
                         "select between a tensor of i64 [1] and the scalar 0");
}

TEST_CASE("element types of tract: constants follow the other side") {
  const ir::Tensor whole = values({3}, {-7, 2, 5}, DType::i64);
  check_agree({"out = mul(x, 2.5);", {whole}}, {values({3}, {-14, 4, 10}, DType::i64)});
  check_agree({"out = div(x, 2.0);", {whole}}, {values({3}, {-3, 1, 2}, DType::i64)});
  check_agree({"out = add(x, 0.5);", {values({2}, {1, 2}, DType::f16)}},
              {values({2}, {1.5, 2.5}, DType::f16)});
  check_agree({"out = add(x, y);", {values({1}, {1}, DType::i32), values({1}, {2}, DType::i64)}},
              {values({1}, {3}, DType::i64)});
  check_agree({"out = add(x, y);", {values({1}, {1}, DType::f16), values({1}, {2.5}, DType::f32)}},
              {values({1}, {3.5}, DType::f32)});
  check_agree(
      {"out = mul(x, y);", {values({2}, {100, -100}, DType::i8), values({2}, {2, 2}, DType::i8)}},
      {values({2}, {-56, 56}, DType::i8)});
  check_agree({"out = tract_core_cast(add(x, 3), to = 'i64');", {whole}},
              {values({3}, {-4, 5, 8}, DType::i64)});
  check_agree(
      {"out = max(x, y);", {values({2}, {1, 65535}, DType::u16), values({2}, {2, 3}, DType::u16)}},
      {values({2}, {2, 65535}, DType::u16)});
}

TEST_CASE("element types that tract refuses") {
  check_refused({"out = add(x, 1);", {values({1}, {1})}}, "add of a tensor of f32 [1] and");
  check_refused({"out = add(x, y);", {values({1}, {1}), values({1}, {1}, DType::i64)}},
                "add of a tensor of f32 [1] and a tensor of i64 [1]");
  check_refused(
      {"out = eq(x, y);", {values({1}, {1}, DType::boolean), values({1}, {1}, DType::boolean)}},
      "logicals are not compared");
}

}  // namespace
}  // namespace t2n::test
