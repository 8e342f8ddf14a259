// Numbers rounded to what integers could hold: LibTorch's own operators for training with it.
#include "tests/ops/check_script.h"

namespace t2n::test {
namespace {

using ir::DType;

const ir::Tensor kX = randn({2, 4, 3, 5}, 1);

/// Multiples of half a step of 0.25 lie at ties.
const ir::Tensor kTies = ir::tensor_of<double>(
    DType::f32, {2, 4, 3},
    {-9.0, -1.125, -0.875, -0.625, -0.375, -0.125, 0.0,  0.125, 0.375,   0.625, 0.875, 1.125,
     1.25, 1.375,  1.625,  31.625, 31.75,  31.875, 32.0, -32.0, -32.125, 100.,  7.9,   -7.9});

std::string vector_of(const std::string& values, const std::string& dtype) {
  return "torch.tensor([" + values + "], dtype=torch." + dtype + ")";
}

const std::string kScales = vector_of("0.05, 0.25, 0.011, 1.7", "float");
const std::string kPoints = vector_of("0, 3, -5, 7", "int");

/// One scale, in each of the forms.
std::vector<std::string> per_tensor(const std::string& numbers, const std::string& bounds) {
  const std::string scale = numbers.substr(0, numbers.find(','));
  const std::string point = numbers.substr(numbers.find(',') + 2);
  const std::string vectors =
      vector_of(scale, "float") + ", " + vector_of(point, "int") + ", " + bounds;
  return {"torch.fake_quantize_per_tensor_affine(x, " + numbers + ", " + bounds + ")",
          "torch.fake_quantize_per_tensor_affine(x, " + vectors + ")",
          "ops.aten.fake_quantize_per_tensor_affine_cachemask(x, " + numbers + ", " + bounds + ")",
          "ops.aten._fake_quantize_learnable_per_tensor_affine(x, " + vector_of(scale, "float") +
              ", " + vector_of(point + ".3", "float") + ", " + bounds + ", 1.0)"};
}

TEST_CASE("one scale for all") {
  for (const auto& [numbers, bounds] :
       std::vector<std::pair<std::string, std::string>>{{"0.0371, 0", "-128, 127"},
                                                        {"0.0371, 5", "-128, 127"},
                                                        {"0.25, 121", "0, 255"},
                                                        {"0.25, 0", "-8, 7"},
                                                        {"0.25, 1", "0, 3"},
                                                        {"0.03, 0", "-2147483648, 2147483647"}})
    for (const ir::Tensor& x : {kX, kTies}) check_each(per_tensor(numbers, bounds), {x});
}

TEST_CASE("whether it quantises may be switched off") {
  const std::string head =
      "ops.aten._fake_quantize_per_tensor_affine_cachemask_tensor_qparams(x, torch.tensor([0.1]), "
      "torch.tensor([3]), ";
  for (const std::string enabled : {"0", "1"})
    check_each({head + "torch.tensor([" + enabled + "]), -4, 5)"}, {kX});
}

TEST_CASE("a scale for each channel") {
  const std::string tail = ", 1, -128, 127";
  std::vector<std::string> all;
  for (const std::string& points :
       {kPoints, vector_of("0, 0, 0, 0", "int"), vector_of("0, 2.6, -5.5, 100.1", "float"),
        vector_of("0, 0, 0, 0", "float")}) {
    const std::string given = "(x, " + kScales + ", " + points + tail + ")";
    all.push_back("torch.fake_quantize_per_channel_affine" + given);
    all.push_back("ops.aten.fake_quantize_per_channel_affine_cachemask" + given);
  }
  all.push_back("ops.aten._fake_quantize_learnable_per_channel_affine(x, " + kScales + ", " +
                vector_of("0.5, 2.6, -5.5, 300.0", "float") + tail + ", 0.1)");
  for (const ir::Tensor& x : {kX, kTies}) check_each(all, {x});
  check_each({"torch.fake_quantize_per_channel_affine(x, torch.tensor([0.1, 0.2]), "
              "torch.zeros([2], dtype=torch.int), 0, 0, 15)",
              "torch.fake_quantize_per_channel_affine(x, torch.tensor([0.1, 0.2, 0.3, 0.4, 0.5]), "
              "torch.zeros([5], dtype=torch.int), 3, -8, 7)"},
             {kX});
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

/// `rows` 0: one range for all.
std::string observed(int on, int quantises, int rows, bool is_symmetric, const std::string& low,
                     const std::string& high) {
  const std::string count = std::to_string(rows == 0 ? 1 : rows);
  const std::string given =
      "(x, torch.tensor([" + std::to_string(on) + "]), torch.tensor([" + std::to_string(quantises) +
      "]), " + low + ", " + high + ", torch.ones([" + count + "]), torch.zeros([" + count +
      "], dtype=torch.int), 0.01, -128, 127, 1, " + (rows == 0 ? "False" : "True") +
      (is_symmetric ? ", True)" : ", False)");
  return "torch.fused_moving_avg_obs_fake_quant" + given;
}

TEST_CASE("an observer that is off quantises by what it has seen") {
  const std::string lows = "torch.tensor([-1.3, 0.1, -3.0, -2.0])";
  const std::string highs = "torch.tensor([2.1, 2.0, -0.5, 0.00001])";
  for (const bool is_symmetric : {false, true})
    for (const int quantises : {0, 1}) {
      check_each(
          {observed(0, quantises, 0, is_symmetric, "torch.tensor([-1.3])", "torch.tensor([2.1])"),
           observed(0, quantises, 0, is_symmetric, "torch.tensor([-0.00001])",
                    "torch.tensor([0.00003])"),
           observed(0, quantises, 0, is_symmetric, "torch.tensor([0.0])", "torch.tensor([0.0])"),
           observed(0, quantises, 4, is_symmetric, lows, highs)},
          {kX});
    }
}

TEST_CASE("an observer that is on would change the model") {
  const Script model =
      expression_script(observed(1, 1, 0, false, "torch.tensor([-1.3])", "torch.tensor([2.1])"), 1);
  CHECK_THROWS_WITH_AS(export_and_run(model, {kX}, test_targets().at(0)),
                       doctest::Contains("moves its statistics with every call"), Error);
}

/// Products of few bits are exact, whatever the order of their sum.
TEST_CASE("weights behind quantisers compute what floats did") {
  const Parameters weights = {{"w", randn({6, 5}, 2)}, {"v", randn({5}, 3)}};
  const std::string quantised = "torch.fake_quantize_per_tensor_affine(self.w, 0.0371, 0, -8, 7)";
  std::vector<std::string> all;
  for (const std::string& weight :
       {quantised, "torch.fake_quantize_per_tensor_affine(self.w, 0.03, 100, 0, 255)",
        "torch.fake_quantize_per_channel_affine(self.w, torch.tensor([0.05, 0.25, 0.011, 0.7, 0.1, "
        "0.2]), torch.tensor([0, 3, -5, 7, 1, 0], dtype=torch.int), 0, -128, 127)",
        "torch.round(torch.clamp(self.w / 0.25, -2, 1)) * 0.25",
        "torch.where(self.w >= 0, 1.0, -1.0) * torch.mean(torch.abs(self.w))",
        "(2.0 * torch.round((torch.tanh(self.w) * 0.5 + 0.5) * 15.0) / 15.0 - 1.0)",
        "(torch.round(self.w.bfloat16() / 0.1) * 0.1).float()",
        "torch.quantize_per_tensor(self.w, 0.03, 130, 13).dequantize()",
        "(self.w + (torch.round(self.w / 0.3) * 0.3 - self.w))"})
    all.push_back("torch.matmul(x, " + weight + ".t())");
  all.push_back("torch.matmul(torch.matmul(x, " + quantised + ".t()), " + quantised + ")");
  all.push_back("torch.matmul(x, " + quantised + ".t()) + torch.matmul(x, self.w.t())");
  all.push_back("x * torch.round(self.v / 0.1) * 0.1");
  check_with(weights, all, {kX});
}

}  // namespace
}  // namespace t2n::test
