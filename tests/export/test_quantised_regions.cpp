// SPDX-License-Identifier: Apache-2.0
// What passes of compression compute, over LibTorch's kernels.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "ir/evaluator.h"
#include "src/compress/settings/settings.h"
#include "src/export/pass_table.h"
#include "src/model/torch_module.h"
#include "src/passes/pass.h"
#include "tests/support/named.h"
#include "tests/support/script.h"

namespace t2n::test {
namespace {

passes::PassContext torch_context() {
  passes::PassContext out;
  out.evaluate = torch_module().evaluator();
  return out;
}

ir::Graph passed(std::string_view text, const std::vector<std::string>& names) {
  ir::Graph out = ir::parse(text);
  passes::run_pipeline(out, names, torch_context());
  return out;
}

/// The first output, of quantised graphs in plain operations.
std::vector<double> result(ir::Graph graph, const std::vector<ir::Tensor>& inputs) {
  passes::run_pipeline(graph, {"expand-quantised"}, torch_context());
  return ir::to_f64(ir::run_graph(graph, inputs, torch_module().evaluator()).at(0));
}

double furthest(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE_EQ(a.size(), b.size());
  double out = 0;
  for (size_t i = 0; i < a.size(); ++i) out = std::max(out, std::abs(a[i] - b[i]));
  return out;
}

bool holds(const ir::Graph& graph, std::string_view op) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(),
                     [&](const ir::Node& node) { return ir::op_name(node.op) == op; });
}

constexpr const char* kFake = R"(graph m(%x: f32[64]) -> (%r as "r") {
    %r: f32[64] = aten::fake_quantize_per_tensor_affine(self=%x, scale=0.05, zero_point=101, quant_min=0, quant_max=255)
  })";

TEST_CASE("integers represent the results of fake quantisation") {
  const std::vector<ir::Tensor> inputs = {randn({64}, 3)};
  const ir::Graph expanded = passed(kFake, {"expand-fake-quant"});
  CHECK(holds(expanded, "aten::quantize_per_tensor"));
  CHECK_EQ(furthest(result(expanded, inputs), result(ir::parse(kFake), inputs)), 0);
}

TEST_CASE("halves go the other way where the zero point is odd, by one step") {
  constexpr const char* kText = R"(graph m(%x: f32[4]) -> (%r as "r") {
    %r: f32[4] = aten::fake_quantize_per_tensor_affine(self=%x, scale=0.5, zero_point=3, quant_min=0, quant_max=255)
  })";
  const std::vector<ir::Tensor> inputs = {values({4}, {0.25, 0.75, 0.3, -0.25})};
  CHECK_EQ(result(ir::parse(kText), inputs), std::vector<double>{0, 1, 0.5, 0});
  CHECK_EQ(result(passed(kText, {"expand-fake-quant"}), inputs),
           std::vector<double>{0.5, 0.5, 0.5, -0.5});
}

/// What keeps the grid, between quantisers, and a layer that its result goes to.
constexpr const char* kMoved = R"(graph m(%x: f32[1,2,4,4]) -> (%r as "r") {
    const %w: f32[2,3] = {1.0, -2.0, 3.0, 0.5, -0.25, 4.0}
    %a: f32[1,2,4,4] = aten::fake_quantize_per_tensor_affine(self=%x, scale=0.05, zero_point=101, quant_min=0, quant_max=255)
    %b: f32[1,2,4,4] = aten::relu(self=%a)
    %c: f32[1,2,2,2] = aten::max_pool2d(self=%b, kernel_size=[2, 2], stride=[2, 2], padding=[0, 0], dilation=[1, 1], ceil_mode=false)
    %d: f32[1,2,2,3] = aten::constant_pad_nd(self=%c, pad=[0, 1], value=0)
    %e: f32[1,2,2,3] = aten::transpose.int(self=%d, dim0=1, dim1=2)
    %f: f32[1,2,4,3] = aten::cat(tensors=[%e, %e], dim=2)
    %g: f32[8,3] = aten::reshape(self=%f, shape=[8, 3])
    %h: f32[8,3] = aten::fake_quantize_per_tensor_affine(self=%g, scale=0.05, zero_point=101, quant_min=0, quant_max=255)
    %r: f32[8,2] = aten::linear(input=%h, weight=%w, bias=none)
  })";

TEST_CASE("moved integers stand for moved reals, bit for bit, and are quantised once") {
  const std::vector<ir::Tensor> inputs = {randn({1, 2, 4, 4}, 5)};
  const ir::Graph joined = passed(kMoved, {"expand-fake-quant", "propagate-qparams"});
  const auto count = std::count_if(joined.nodes.begin(), joined.nodes.end(), [](const auto& node) {
    return ir::op_name(node.op) == "aten::quantize_per_tensor";
  });
  CHECK_EQ(count, 1);
  CHECK_EQ(furthest(result(joined, inputs), result(ir::parse(kMoved), inputs)), 0);
}

/// A layer between integers, its weight of 8 bits.
std::string region_text(const std::string& operation, const std::string& input,
                        const std::string& weight, const std::string& between,
                        const std::string& out) {
  const std::string grid = "zero_point=128, quant_min=0, quant_max=255";
  return "graph m(%x: f32" + input + ", %v: f32" + weight + ") -> (%r as \"r\") {\n" +
         "const %s: f32[2] = {0.01, 0.02}\nconst %z: i32[2] = {0, 0}\n" +
         "const %b: f32[2] = {0.3, -0.4}\n" + "%a: f32" + input +
         " = aten::fake_quantize_per_tensor_affine(self=%x, scale=0.03, " + grid + ")\n%w: f32" +
         weight +
         " = aten::fake_quantize_per_channel_affine(self=%v, scale=%s, zero_point=%z, axis=0, "
         "quant_min=-127, quant_max=127)\n%l: f32" +
         out + " = " + operation + "\n%f: f32" + out + " = aten::relu(self=%l)\n" + between + "}\n";
}

struct RegionCase {
  std::string operation;
  ir::Ints input;
  ir::Ints weight;
  ir::Ints out;
  std::string fused;
};

std::string listed(const ir::Ints& shape) { return ir::shape_str(ir::to_shape(shape)); }

/// The input `v` is the constant that a weight is.
ir::Graph with_weight(const std::string& text, const ir::Tensor& weight) {
  ir::Graph graph = ir::parse(text);
  const ir::ValueId id = graph.inputs.at(1);
  graph.inputs.pop_back();
  graph.constants.push_back({id, weight});
  return graph;
}

TEST_CASE("fused layers give the same integer or the next one") {
  const std::string conv = "(input=%a, weight=%w, bias=%b, ";
  const std::vector<RegionCase> cases = {
      {"aten::linear(input=%a, weight=%w, bias=%b)",
       {5, 6},
       {2, 6},
       {5, 2},
       "quantized::linear_relu"},
      {"aten::conv1d" + conv + "stride=[2], padding=[1], dilation=[1], groups=1)",
       {3, 4, 7},
       {2, 4, 3},
       {3, 2, 4},
       "quantized::conv1d_relu"},
      {"aten::conv2d" + conv + "stride=[1, 1], padding=[1, 0], dilation=[1, 2], groups=2)",
       {2, 4, 5, 6},
       {2, 2, 3, 2},
       {2, 2, 5, 4},
       "quantized::conv2d_relu.new"},
      {"aten::conv3d" + conv + "stride=[1, 1, 1], padding=[0, 0, 0], dilation=[1, 1, 1], groups=1)",
       {1, 2, 3, 3, 3},
       {2, 2, 2, 2, 2},
       {1, 2, 2, 2, 2},
       "quantized::conv3d_relu.new"}};
  constexpr double kStep = 0.02;
  for (const RegionCase& each : cases) {
    CAPTURE(each.fused);
    const std::string text =
        region_text(each.operation, listed(each.input), listed(each.weight),
                    "%r: f32" + listed(each.out) +
                        " = aten::fake_quantize_per_tensor_affine(self=%f, scale=0.02, "
                        "zero_point=10, quant_min=0, quant_max=255)\n",
                    listed(each.out));
    ir::Graph graph = with_weight(text, randn(each.weight, 7));
    const std::vector<ir::Tensor> inputs = {randn(each.input, 8)};
    const std::vector<double> wanted = result(graph, inputs);
    passes::run_pipeline(
        graph, {"quantise-constants", "expand-fake-quant", "propagate-qparams", "fuse-quantised"},
        torch_context());
    REQUIRE(holds(graph, each.fused));
    const std::vector<double> there = result(graph, inputs);
    CHECK_LE(furthest(wanted, there), kStep * 1.001);
    const auto same =
        std::inner_product(wanted.begin(), wanted.end(), there.begin(), ptrdiff_t{0}, std::plus<>(),
                           [](double a, double b) { return std::abs(a - b) < kStep / 2 ? 1 : 0; });
    CHECK_GE(same * 10, std::ssize(wanted) * 9);  // nine of ten are the same
    CHECK(*std::max_element(wanted.begin(), wanted.end()) > 0);
  }
}

constexpr const char* kLayer = R"(graph m(%x: f32[3,64], %w: f32[32,64]) -> (%r as "r") {
    %r: f32[3,32] = aten::linear(input=%x, weight=%w, bias=none)
  })";

ir::Graph compressed_layer(const compress::Settings& settings,
                           const std::vector<std::string>& names) {
  ir::Graph graph = with_weight(kLayer, randn({32, 64}, 11));
  passes::PassContext with = torch_context();
  with.settings = &settings;
  passes::run_pipeline(graph, names, with);
  return graph;
}

const ir::Constant& constant_of(const ir::Graph& graph, std::string_view name) {
  const auto found = std::find_if(graph.constants.begin(), graph.constants.end(), [&](auto& each) {
    return graph.values[static_cast<size_t>(each.value)].name == name;
  });
  REQUIRE(found != graph.constants.end());
  return *found;
}

TEST_CASE(
    "a pruned weight is one constant of its name, with as many zeros, none of them negative") {
  const compress::Settings share({{"", {{"prune.sparsity", 0.3}}, "test"}});
  const ir::Graph graph = compressed_layer(share, {"prune-weights", "fold-constants"});
  CHECK_EQ(graph.constants.size(), 1);
  const std::vector<double> weights = ir::to_f64(constant_of(graph, "w").data);
  const auto positive_zeros = std::count_if(
      weights.begin(), weights.end(), [](double each) { return each == 0 && !std::signbit(each); });
  CHECK_EQ(positive_zeros, 614);  // of 2048
  const std::vector<double> before = ir::to_f64(randn({32, 64}, 11));
  for (size_t i = 0; i < weights.size(); ++i) CHECK((weights[i] == 0 || weights[i] == before[i]));
}

TEST_CASE("zeros stay zeros on grids with a zero point, whether they are folded before or not") {
  const compress::Settings both({{"",
                                  {{"prune.pattern", "2:4"},
                                   {"weights.bits", 4.0},
                                   {"weights.symmetric", false},
                                   {"weights.narrow_range", false}},
                                  "test"}});
  const ir::Graph folded =
      compressed_layer(both, {"insert-compression", "fold-constants", "calculate-qparams",
                              "insert-fake-quant", "quantise-constants"});
  const ir::Graph not_folded =
      compressed_layer(both, {"insert-compression", "calculate-qparams", "insert-fake-quant"});
  // On the identity the layer gives its weights.
  std::vector<double> rows(3 * 64);
  for (size_t i = 0; i < 3; ++i) rows[i * 64 + i] = 1;
  const std::vector<ir::Tensor> inputs = {ir::tensor_of(ir::DType::f32, {3, 64}, rows)};
  const std::vector<double> a = result(folded, inputs);
  CHECK_EQ(a, result(not_folded, inputs));
  const std::vector<double> plain = ir::to_f64(randn({32, 64}, 11));
  for (size_t out = 0; out < 32; ++out) {
    // Of inputs 0 to 3 two have weights; the three that are asked for hold one zero or two.
    const double* row = &plain[out * 64];
    std::vector<double> sizes;
    for (size_t i = 0; i < 4; ++i) sizes.push_back(std::abs(row[i]));
    std::vector<double> sorted = sizes;
    std::sort(sorted.begin(), sorted.end());
    for (size_t i = 0; i < 3; ++i)
      if (sizes[i] < sorted[2]) CHECK_EQ(a[i * 32 + out], 0);
  }
}

}  // namespace
}  // namespace t2n::test
