// SPDX-License-Identifier: Apache-2.0
// Numbers rounded to what integers could hold: LibTorch's own operators for training with it.
#include <cmath>

#include "tests/ops/check_script.h"
#include "tests/support/strict_case.h"

namespace t2n::test::fake_quantised_tests {
namespace {

using ir::DType;

const ir::Tensor kX = randn({2, 4, 3, 5}, 1);

/// Multiples of half a step of 0.25 lie at ties.
const ir::Tensor kTies = ir::tensor_of<double>(
    DType::f32, {2, 4, 3},
    {-9.0, -1.125, -0.875, -0.625, -0.375, -0.125, 0.0,  0.125, 0.375,   0.625, 0.875, 1.125,
     1.25, 1.375,  1.625,  31.625, 31.75,  31.875, 32.0, -32.0, -32.125, 100.,  7.9,   -7.9});

// Types as numbers.
const std::string kI32 = "3";
const std::string kF32 = "6";

std::string vector_of(const std::string& values, const std::string& dtype) {
  return "torch.tensor([" + values + "], dtype=" + dtype + ")";
}

const std::string kScales = vector_of("0.05, 0.25, 0.011, 1.7", kF32);
const std::string kPoints = vector_of("0, 3, -5, 7", kI32);

/// One scale, in each of the forms.
std::vector<std::string> per_tensor(const std::string& numbers, const std::string& bounds) {
  const std::string scale = numbers.substr(0, numbers.find(','));
  const std::string point = numbers.substr(numbers.find(',') + 2);
  const std::string vectors =
      vector_of(scale, kF32) + ", " + vector_of(point, kI32) + ", " + bounds;
  return {"torch.fake_quantize_per_tensor_affine(x, " + numbers + ", " + bounds + ")",
          "torch.fake_quantize_per_tensor_affine(x, " + vectors + ")",
          "ops.aten.fake_quantize_per_tensor_affine_cachemask(x, " + numbers + ", " + bounds + ")",
          "ops.aten._fake_quantize_learnable_per_tensor_affine(x, " + vector_of(scale, kF32) +
              ", " + vector_of(point + ".3", kF32) + ", " + bounds + ", 1.0)",
          "ops.aten._fake_quantize_learnable_per_tensor_affine(x, " + vector_of(scale, kF32) +
              ", " + vector_of(point, kF32) + ", " + bounds + ", 2.0)"};
}

TEST_CASE("one scale for all") {
  for (const auto& [numbers, bounds] :
       std::vector<std::pair<std::string, std::string>>{{"0.0371, 0", "-128, 127"},
                                                        {"0.0371, 5", "-128, 127"},
                                                        {"0.25, 121", "0, 255"},
                                                        {"0.25, 0", "-8, 7"},
                                                        {"0.25, 1", "0, 3"}})
    for (const ir::Tensor& x : {kX, kTies}) check_each(per_tensor(numbers, bounds), {x});
}

TEST_CASE("integers of 32 bits count from zero") {
  check_each({"torch.fake_quantize_per_tensor_affine(x, 0.0003, 0, -2147483648, 2147483647)"},
             {kX});
}

TEST_CASE("whether it quantises may be switched off") {
  const ir::Tensor scale = ir::tensor_of<double>(DType::f32, {1}, {0.1});
  const ir::Tensor point = ir::tensor_of<double>(DType::i32, {1}, {3});
  for (const double enabled : {0.0, 1.0})
    check_with(
        {{"s", scale}, {"z", point}, {"on", ir::tensor_of<double>(DType::i64, {1}, {enabled})}},
        {"ops.aten._fake_quantize_per_tensor_affine_cachemask_tensor_qparams(x, self.s, "
         "self.z, self.on, -4, 5)"},
        {kX});
}

TEST_CASE("a scale for each channel") {
  const std::string tail = ", 1, -128, 127";
  std::vector<std::string> all;
  for (const std::string& points :
       {kPoints, vector_of("0, 0, 0, 0", kI32), vector_of("0.0, 2.6, -5.5, 100.1", kF32),
        vector_of("0, 0, 0, 0", kF32)}) {
    const std::string given = "(x, " + kScales + ", " + points + tail + ")";
    all.push_back("torch.fake_quantize_per_channel_affine" + given);
    all.push_back("ops.aten.fake_quantize_per_channel_affine_cachemask" + given);
  }
  all.push_back("ops.aten._fake_quantize_learnable_per_channel_affine(x, " + kScales + ", " +
                vector_of("0.5, 2.6, -5.5, 300.0", kF32) + tail + ", 0.1)");
  for (const ir::Tensor& x : {kX, kTies}) check_each(all, {x});
  check_each({"torch.fake_quantize_per_channel_affine(x, torch.tensor([0.1, 0.2]), "
              "torch.zeros([2], dtype=3), 0, 0, 15)",
              "torch.fake_quantize_per_channel_affine(x, torch.tensor([0.1, 0.2, 0.3, 0.4, 0.5]), "
              "torch.zeros([5], dtype=3), 3, -8, 7)"},
             {kX});
}

TEST_CASE("elements of f64 are quantised in f64") {
  const ir::Tensor x =
      ir::tensor_of<double>(DType::f64, {3}, {0.125 + 1e-12, 0.625 + 1e-12, -0.375 + 1e-12});
  for (const target::Target& target : test_targets()) {
    Run run = export_and_run(
        expression_script("torch.fake_quantize_per_tensor_affine(x, 0.25, 0, -128, 127)", 1), {x},
        target);
    drop_strict_case(run);
    CHECK_CLOSE(run, rel(0));
  }
}

TEST_CASE("other floats are quantised in the precision that torch takes") {
  for (const std::string dtype : {"half", "double"})
    check_each({"torch.fake_quantize_per_tensor_affine(x." + dtype + "(), 0.0371, 3, -128, 127)",
                "torch.fake_quantize_per_channel_affine(x." + dtype + "(), " + kScales + ", " +
                    kPoints + ", 1, -128, 127)"},
               {kX});
}

TEST_CASE("scales and zero points that are inputs") {
  const ir::Tensor scale = ir::tensor_of<double>(DType::f32, {1}, {0.0371});
  const ir::Tensor scales = ir::tensor_of<double>(DType::f32, {4}, {0.05, 0.25, 0.011, 1.7});
  const ir::Tensor point = ir::tensor_of<double>(DType::i32, {1}, {9});
  check_each({"torch.fake_quantize_per_tensor_affine(x, y, z, -128, 127)"}, {kX, scale, point});
  check_each({"torch.fake_quantize_per_channel_affine(x, y, " + kPoints + ", 1, -128, 127)"},
             {kX, scales});
}

/// An observer that has seen these ranges.
Parameters observer(bool is_on, bool quantises, const std::vector<double>& low,
                    const std::vector<double>& high) {
  const auto count = static_cast<int64_t>(low.size());
  return {{"on", ir::tensor_of<double>(DType::i64, {1}, {is_on ? 1.0 : 0.0})},
          {"quantises", ir::tensor_of<double>(DType::i64, {1}, {quantises ? 1.0 : 0.0})},
          {"low", ir::tensor_of(DType::f32, {count}, low)},
          {"high", ir::tensor_of(DType::f32, {count}, high)},
          {"s", ir::tensor_of(DType::f32, {count}, high)},
          {"z", ir::tensor_of(DType::i32, {count}, std::vector<double>(low.size(), 1))}};
}

std::string observed(bool by_row, bool is_symmetric) {
  return std::string(
             "torch.fused_moving_avg_obs_fake_quant(x, self.on, self.quantises, self.low, "
             "self.high, self.s, self.z, 0.01, -128, 127, 1, ") +
         (by_row ? "True" : "False") + (is_symmetric ? ", True)" : ", False)");
}

TEST_CASE("an observer that is off quantises by what it has seen") {
  for (const bool is_symmetric : {false, true}) {
    const std::string all = observed(false, is_symmetric);
    check_with(observer(false, true, {-1.3}, {2.1}), {all}, {kX});
    check_with(observer(false, false, {-1.3}, {2.1}), {all}, {kX});
    check_with(observer(false, true, {-0.00001}, {0.00003}), {all}, {kX});
    check_with(observer(false, true, {0}, {0}), {all}, {kX});
    check_with(observer(false, true, {-1.3, 0.1, -3.0, -2.0}, {2.1, 2.0, -0.5, 0.00001}),
               {observed(true, is_symmetric)}, {kX});
  }
}

void check_grid_refused(const std::string& call, const Parameters& parameters,
                        const std::string& text) {
  CAPTURE(call);
  for (const target::Target& target : test_targets())
    CHECK_THROWS_WITH_AS(export_and_run(with_parameters(call, 1, parameters), {kX}, target),
                         doctest::Contains(text.c_str()), Error);
}

TEST_CASE("scales that are no steps, and zero points that no integer is, are refused") {
  const auto reals = [](const std::vector<double>& values) {
    return ir::tensor_of<double>(DType::f32, {std::ssize(values)}, values);
  };
  const auto integers = [](const std::vector<double>& values) {
    return ir::tensor_of<double>(DType::i32, {std::ssize(values)}, values);
  };
  for (const double scale : std::vector<double>{0.0, -0.1, NAN, INFINITY, 1e-44}) {
    CAPTURE(scale);
    check_grid_refused("torch.fake_quantize_per_tensor_affine(x, self.s, self.z, 0, 255)",
                       {{"s", reals({scale})}, {"z", integers({0})}}, "it has the scale ");
    check_grid_refused("torch.fake_quantize_per_channel_affine(x, self.s, self.z, 1, 0, 255)",
                       {{"s", reals({0.1, 0.2, 0.3, scale})}, {"z", integers({0, 0, 0, 0})}},
                       "it has the scale ");
  }
  for (const std::string scale : {"0.0", "-0.1"})
    check_grid_refused("torch.fake_quantize_per_tensor_affine(x, " + scale + ", 0, 0, 255)", {},
                       "calibrate or train the quantiser before saving the model");
  for (const double point : {300.0, -1.0})
    check_grid_refused("torch.fake_quantize_per_tensor_affine(x, self.s, self.z, 0, 255)",
                       {{"s", reals({0.1})}, {"z", integers({point})}},
                       cat("its zero point is ", point, ", and its integers go from 0 to 255"));
}

TEST_CASE("what the model makes of constants is looked at as well") {
  const std::string said = "it has the scale ";
  for (const std::string scale : {"0.0", "-0.1", "float(\"nan\")", "float(\"inf\")"}) {
    const std::string one = "torch.tensor([" + scale + "])";
    check_grid_refused(
        "torch.fake_quantize_per_tensor_affine(x, " + one + ", torch.tensor([0], dtype=3), 0, 255)",
        {}, said);
    check_grid_refused("torch.fake_quantize_per_channel_affine(x, torch.tensor([0.1, 0.2, 0.3, " +
                           scale + "]), torch.tensor([0, 0, 0, 0], dtype=3), 1, 0, 255)",
                       {}, said);
    check_grid_refused("torch._fake_quantize_learnable_per_tensor_affine(x, " + one +
                           ", torch.tensor([0.0]), 0, 255, 1.0)",
                       {}, said);
  }
  const auto number = ir::tensor_of<double>(DType::f32, {1}, std::vector<double>{-0.1});
  check_grid_refused(
      "torch.fake_quantize_per_tensor_affine(x, self.s * 2.0, torch.tensor([0], dtype=3), 0, 255)",
      {{"s", number}}, said);
}

TEST_CASE("an observer that never saw data is refused, unless it does not quantise") {
  const auto parameters = [](bool quantises) {
    return observer(false, quantises, {INFINITY}, {-INFINITY});
  };
  check_grid_refused(observed(false, false), parameters(true), "its observer never saw data");
  check_with(parameters(false), {observed(false, false)}, {kX});
}

TEST_CASE("an observer that is on would change the model") {
  const Script model =
      with_parameters(observed(false, false), 1, observer(true, true, {-1.3}, {2.1}));
  CHECK_THROWS_WITH_AS(export_and_run(model, {kX}, test_targets().at(0)),
                       doctest::Contains("updates its statistics with every call"), Error);
}

/// Products of few bits are exact, whatever the order of their sum.
TEST_CASE("weights behind quantisers compute what floats did") {
  const Parameters weights = {{"w", randn({6, 5}, 2)}, {"v", randn({5}, 3)}};
  const std::string quantised = "torch.fake_quantize_per_tensor_affine(self.w, 0.0371, 0, -8, 7)";
  std::vector<std::string> all;
  const std::vector<std::string> forms = {
      quantised,
      "torch.fake_quantize_per_tensor_affine(self.w, 0.03, 100, 0, 255)",
      "torch.fake_quantize_per_channel_affine(self.w, torch.tensor([0.05, 0.25, 0.011, 0.7, 0.1, "
      "0.2]), torch.tensor([0, 3, -5, 7, 1, 0], dtype=3), 0, -128, 127)",
      "torch.round(torch.clamp(self.w / 0.25, -2, 1)) * 0.25",
      "torch.where(self.w >= 0, 1.0, -1.0) * torch.mean(torch.abs(self.w))",
      "(2.0 * torch.round((torch.tanh(self.w) * 0.5 + 0.5) * 15.0) / 15.0 - 1.0)",
      "(torch.round(self.w.to(15) / 0.1) * 0.1).to(6)",
      "torch.quantize_per_tensor(self.w, 0.03, 130, 13).dequantize()",
      "(self.w + (torch.round(self.w / 0.3) * 0.3 - self.w))"};
  for (const std::string& weight : forms) all.push_back("torch.matmul(x, (" + weight + ").t())");
  all.push_back("torch.matmul(torch.matmul(x, " + quantised + ".t()), " + quantised + ")");
  all.push_back("torch.matmul(x, " + quantised + ".t()) + torch.matmul(x, self.w.t())");
  all.push_back("x * torch.round(self.v / 0.1) * 0.1");
  check_with(weights, all, {kX});
}

const Parameters kBounds = {{"hi", values({}, {0.7})},
                            {"lo", values({}, {-0.5})},
                            {"zero", values({}, {0.0})},
                            {"nan", values({}, {std::nan("")})},
                            {"rows", values({4, 1, 1}, {0.1, 0.2, 0.3, 0.4})}};

/// The choices that the newest tract is left with.
size_t selects_of(const std::string& expression) {
  const std::string nnef =
      export_text(with_parameters(expression, 1, kBounds), {kX}, newest_target());
  size_t out = 0;
  for (size_t at = nnef.find("= select("); at != std::string::npos;
       at = nnef.find("= select(", at + 1))
    ++out;
  return out;
}

/// An expression of `y`, the rounded input of a quantiser.
std::string of_rounded(const std::string& expression) {
  return "[" + expression + " for y in [torch.round(x * 4.0) / 4.0]][0]";
}

TEST_CASE("clamps of quantisers written as a comparison and a choice, as Brevitas has them") {
  for (const char* const each :
       {"torch.where(y > self.hi, self.hi, y)", "torch.where(self.hi <= y, self.hi, y)",
        "torch.where(y < self.lo, self.lo, y)", "torch.where(y >= 0.7, 0.7, y)",
        "y.masked_fill(y < -0.5, -0.5)", "torch.where(y > self.rows, self.rows, y)",
        "torch.where(y < self.zero, self.zero, y) @ y.mT"}) {
    const std::string expression = of_rounded(each);
    CAPTURE(expression);
    check_with(kBounds, {expression}, {kX});
    CHECK_EQ(selects_of(expression), 0);
  }
}

TEST_CASE("choices that are no clamps stay what they are") {
  // A NaN of y takes the bound; another number is chosen; a NaN as bound is never chosen; the sign
  // of a zero is seen. A choice that is of no quantiser keeps a NaN, which the engine's minimum
  // drops.
  for (const std::string& expression :
       {of_rounded("torch.where(y <= self.hi, y, self.hi)"),
        of_rounded("torch.where(y > self.hi, self.lo, y)"),
        of_rounded("torch.where(y > self.nan, self.nan, y)"),
        std::string("[1 / torch.where(y < self.zero, self.zero, y) for y in [torch.floor(x)]][0]"),
        std::string("torch.where(x > self.hi, self.hi, x)")}) {
    CAPTURE(expression);
    check_with(kBounds, {expression}, {kX});
    CHECK_EQ(selects_of(expression), 1);
  }
  const ir::Tensor with_nan = values({3}, {std::nan(""), 1.0, -1.0});
  const Script plain = with_parameters("torch.where(x > self.hi, self.hi, x)", 1, kBounds);
  Run run = export_and_run(plain, {with_nan}, newest_target());
  drop_strict_case(run);  // it compares one engine only
  CHECK(std::isnan(ir::to_f64(run.actual.at(0)).at(0)));
}

}  // namespace
}  // namespace t2n::test::fake_quantised_tests
