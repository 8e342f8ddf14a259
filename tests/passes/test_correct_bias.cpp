// SPDX-License-Identifier: Apache-2.0
// The pass `correct-bias`: what rounded weights are off by on average is taken off the bias.
#include <doctest/doctest.h>

#include <cmath>

#include "src/compress/calibrate/calibrate.h"
#include "src/config/compression_settings.h"
#include "tests/passes/support.h"

namespace t2n::passes {
namespace {

using compress::InputMoments;
using compress::Moments;

/// Rounding to a grid, as much of it as a weight needs here.
std::vector<ir::Tensor> fake_quantised(const ir::Node& node, const ir::Operand& operand) {
  const ir::Tensor given = operand(std::get<ir::TensorRef>(*node.find("self")).id);
  const double scale = std::get<double>(*node.find("scale"));
  std::vector<double> values = ir::to_f64(given);
  for (double& value : values) value = std::nearbyint(value / scale) * scale;
  return {ir::tensor_of<double>(given.dtype, given.shape, values)};
}

/// The pass after a run in which `layer` was given rows of this sum.
std::string corrected(const std::string& text, const std::string& settings,
                      const std::map<std::string, std::shared_ptr<InputMoments>>& seen,
                      std::vector<Diagnostic>* said = nullptr) {
  const compress::Settings read(config::read_compression_settings(settings, "s.json"));
  PassContext context;
  context.settings = &read;
  context.evaluate = fake_quantised;
  if (said != nullptr)
    context.report = [said](const Diagnostic& diagnostic) { said->push_back(diagnostic); };
  ir::Graph graph = ir::parse(text);
  if (!seen.empty()) graph.attributes[compress::kInputMoments] = Moments(seen);
  run_pipeline(graph, {"correct-bias"}, context);
  return ir::print(graph);
}

std::shared_ptr<InputMoments> inputs(ir::Ints shape, std::vector<double> weight,
                                     std::vector<double> sum, double rows) {
  InputMoments out;
  out.sum = std::move(sum);
  out.rows = rows;
  out.weight = ir::tensor_of<double>(ir::DType::f32, std::move(shape), weight);
  return std::make_shared<InputMoments>(std::move(out));
}

const std::string kSettings = R"({"": {"weights": {"bits": 8}, "bias_correction": true}})";

TEST_CASE("the mean error of each row of a linear layer, over all rows of inputs") {
  // Errors of the weights: 0.25, -0.25 and 0, 0.25; means of the inputs: 2, 4.
  const auto seen = inputs({2, 2}, {0.75, 0.25, 1, 1.75}, {8, 16}, 4);
  CHECK(corrected(R"(graph m(%x: f32[1,2]) -> (%y as "y") {
    const %w: f32[2,2] = {0.75, 0.25, 1.0, 1.75}
    const %b: f32[2] = {1.0, 2.0}
    %q: f32[2,2] = aten::fake_quantize_per_tensor_affine(self=%w, scale=1.0, zero_point=0, quant_min=-128, quant_max=127)
    %y: f32[1,2] = aten::linear(input=%x, weight=%q, bias=%b) as linear_0
  })",
                  kSettings, {{"/linear_0", seen}}) == R"(graph m(%x: f32[1,2]) -> (%y as "y") {
  const %w: f32[2,2] = {0.75, 0.25, 1.0, 1.75}
  const %b_corrected: f32[2] = {1.5, 1.0}
  %q: f32[2,2] = aten::fake_quantize_per_tensor_affine(self=%w, scale=1.0, zero_point=0, quant_min=-128, quant_max=127) as fake_quantize_per_tensor_affine_0
  %y: f32[1,2] = aten::linear(input=%x, weight=%q, bias=%b_corrected) as linear_0
}
)");
}

TEST_CASE("groups have inputs of their own, and a layer without a bias gets one") {
  const auto seen = inputs({2, 1, 1, 1}, {0.75, 0.25}, {4, 8}, 2);
  CHECK(corrected(R"(graph m(%x: f32[1,2,3,3]) -> (%y as "y") {
    const %w: f32[2,1,1,1] = {0.75, 0.25}
    %q: f32[2,1,1,1] = aten::fake_quantize_per_tensor_affine(self=%w, scale=1.0, zero_point=0, quant_min=-128, quant_max=127)
    %y: f32[1,2,3,3] = aten::conv2d(input=%x, weight=%q, bias=none, stride=[1, 1], padding=[0, 0], dilation=[1, 1], groups=2) as conv2d_0
  })",
                  kSettings, {{"/conv2d_0", seen}}) == R"(graph m(%x: f32[1,2,3,3]) -> (%y as "y") {
  const %w: f32[2,1,1,1] = {0.75, 0.25}
  const %y_bias: f32[2] = {-0.5, 1.0}
  %q: f32[2,1,1,1] = aten::fake_quantize_per_tensor_affine(self=%w, scale=1.0, zero_point=0, quant_min=-128, quant_max=127) as fake_quantize_per_tensor_affine_0
  %y: f32[1,2,3,3] = aten::conv2d(input=%x, weight=%q, bias=%y_bias, stride=[1, 1], padding=[0, 0], dilation=[1, 1], groups=2) as conv2d_0
}
)");
}

/// Its bias is rounded itself.
const std::string kRoundedBias = R"(graph m(%x: f32[1,2]) -> (%y as "y") {
  const %w: f32[1,2] = {0.75, 0.25}
  const %b: f32[1] = {1.0}
  %q: f32[1,2] = aten::fake_quantize_per_tensor_affine(self=%w, scale=1.0, zero_point=0, quant_min=-128, quant_max=127) as fake_quantize_per_tensor_affine_0
  %c: f32[1] = aten::fake_quantize_per_tensor_affine(self=%b, scale=0.5, zero_point=0, quant_min=-128, quant_max=127) as fake_quantize_per_tensor_affine_1
  %y: f32[1,1] = aten::linear(input=%x, weight=%q, bias=%c) as linear_0
}
)";

TEST_CASE("layers that cannot be corrected are reported with the reason") {
  const auto seen = inputs({1, 2}, {0.75, 0.25}, {1, 2}, 1);
  std::vector<Diagnostic> said;
  CHECK(corrected(kRoundedBias, kSettings, {{"/linear_0", seen}}, &said) == kRoundedBias);
  REQUIRE(said.size() == 1);
  CHECK(said[0].id == "bias-not-corrected");
  CHECK(said[0].details == std::vector<std::string>{"/linear_0: its bias is not a constant"});
  said.clear();
  CHECK(corrected(kRoundedBias, kSettings, {}, &said) == kRoundedBias);
  REQUIRE(said.size() == 1);
  CHECK(said[0].details ==
        std::vector<std::string>{"/linear_0: the calibration set never reached it"});
}

TEST_CASE("weights that are as they were, and layers that nobody asks for, keep their bias") {
  std::string exact = kRoundedBias;
  exact.replace(exact.find("{0.75, 0.25}"), 12, "{3.0, 2.0}");
  std::vector<Diagnostic> said;
  const std::string text = ir::print(ir::parse(exact));
  CHECK(corrected(exact, kSettings, {{"/linear_0", inputs({1, 2}, {3, 2}, {1, 2}, 1)}}, &said) ==
        text);
  CHECK(corrected(exact, R"({"": {"weights": {"bits": 8}}})", {}, &said) == text);
  CHECK(said.empty());
}

}  // namespace
}  // namespace t2n::passes
