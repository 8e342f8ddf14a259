// SPDX-License-Identifier: Apache-2.0
// What runs passes one by one: faults are found where they are, and values of passes that rewrite
// weights are the same on every form of layer.
#include <doctest/doctest.h>

#include <cmath>
#include <sstream>

#include "src/diag/error.h"
#include "src/export/pass_steps.h"
#include "src/export/pass_table.h"
#include "src/model/torch_module.h"
#include "src/samples/samples.h"
#include "tests/support/script.h"

namespace t2n::test {
namespace {

using passes::Effect;
using passes::PassContext;
using passes::PassInfo;

PassContext context() {
  PassContext out;
  out.evaluate = torch_module().evaluator();
  return out;
}

/// The graph, with values for constants that the text leaves out; variances are positive.
ir::Graph loaded(const std::string& text) {
  ir::Graph graph = ir::parse(text);
  uint64_t stream = 0;
  for (ir::Constant& constant : graph.constants) {
    const std::string& name = graph.values[static_cast<size_t>(constant.value)].name;
    if (!constant.data.bytes.empty()) continue;
    constant.data = draw(constant.data.dtype, constant.data.shape, {}, 3, ++stream);
    if (!name.ends_with("var")) continue;
    std::vector<double> values = ir::to_f64(constant.data);
    for (double& value : values) value = 0.2 + std::abs(value);
    constant.data = ir::tensor_of(constant.data.dtype, constant.data.shape, values);
  }
  return graph;
}

GraphInputs inputs_for(const ir::Graph& graph, uint64_t seed) {
  GraphInputs out{cat("seed ", seed), {}};
  for (const ir::ValueId id : graph.inputs) {
    const ir::Value& value = graph.values[static_cast<size_t>(id)];
    out.tensors.push_back(draw(value.dtype, ir::static_shape(value.shape), {}, seed, 1));
  }
  return out;
}

PassSteps steps(ir::Graph& graph, const std::vector<PassInfo>& pipeline,
                bool against_first = false) {
  StepOptions options;
  options.sets = {inputs_for(graph, 1), inputs_for(graph, 2)};
  options.against_first = against_first;
  return run_steps(graph, pipeline, context(), options);
}

constexpr const char* kSum = R"(graph m(%x: f32[4]) -> (%y as "y", %x as "x") {
    const %c: f32[] = {2.0}
    %y: f32[4] = aten::add.Tensor(self=%x, other=%c, alpha=1)
  })";

bool nothing(ir::Graph&, const PassContext&) { return false; }

/// Adds a number to the constant.
template <int percent>
bool shift(ir::Graph& graph, const PassContext&) {
  const double now = ir::element_f64(graph.constants.at(0).data, 0);
  graph.constants[0].data = ir::scalar_tensor(now + percent / 100.0, ir::DType::f32);
  return true;
}

bool break_operator(ir::Graph& graph, const PassContext&) {
  graph.nodes.at(0).op = ir::op_id("aten::no_such_operator");
  return true;
}

const PassInfo kNothing = {"nothing", "", nothing};
const PassInfo kFault = {"fault", "", shift<1>};
const PassInfo kMendsIt = {"mends-it", "", shift<-1>};
const PassInfo kLossy = {"lossy", "", shift<1>, Effect::changes, "the constant"};

TEST_CASE("a pass that is to keep values and does not is a fault, and ends the pipeline") {
  ir::Graph graph = ir::parse(kSum);
  const PassSteps out = steps(graph, {kNothing, kFault, kMendsIt});
  REQUIRE_EQ(out.steps.size(), 2);
  CHECK_EQ(out.sets, 2);
  CHECK_EQ(out.refused, "");
  CHECK_FALSE(out.steps[0].changed);
  CHECK(out.steps[0].outputs.empty());
  const PassStep* step = out.faulty();
  REQUIRE(step == &out.steps[1]);
  REQUIRE_EQ(step->outputs.size(), 2);
  CHECK_EQ(step->outputs[0].name, "y");
  CHECK_EQ(step->outputs[0].comparison.max_abs, doctest::Approx(0.01).epsilon(1e-3));
  CHECK(step->outputs[0].comparison.snr_db < 60);
  CHECK(std::isinf(step->outputs[1].comparison.snr_db));
  const Diagnostic said = fault_error(*step, false).diagnostic();
  CHECK_EQ(said.id, "pass-changed-values");
  CHECK(said.message.starts_with("'fault' changed what the graph computes: 'y'["));
  CHECK(said.message.ends_with(" on seed 1"));
  CHECK_EQ(said.why, "the pass must keep values, except for rounding");
}

TEST_CASE(
    "intended changes of a pass are measured, and later passes are compared with the result") {
  ir::Graph graph = ir::parse(kSum);
  const PassSteps out = steps(graph, {kLossy, kNothing, kLossy});
  REQUIRE_EQ(out.steps.size(), 3);
  CHECK(out.faulty() == nullptr);
  for (const size_t at : {0, 2}) {
    REQUIRE_EQ(out.steps[at].outputs.size(), 2);
    CHECK(out.steps[at].outputs[0].comparison.verdict == check::Verdict::differs);
    CHECK_EQ(out.steps[at].outputs[0].comparison.max_abs, doctest::Approx(0.01).epsilon(1e-3));
  }
}

TEST_CASE("a bisection is against the first graph, and goes on to the end") {
  ir::Graph graph = ir::parse(kSum);
  const PassSteps out = steps(graph, {kNothing, kLossy, kFault, kMendsIt, kMendsIt}, true);
  REQUIRE_EQ(out.steps.size(), 5);
  REQUIRE(out.faulty() == &out.steps[1]);
  const double first = out.steps[1].outputs[0].comparison.max_abs;
  CHECK_EQ(out.steps[2].outputs[0].comparison.max_abs, doctest::Approx(2 * first).epsilon(1e-3));
  CHECK(out.steps[3].fault);
  CHECK_FALSE(out.steps[4].fault);
  CHECK_EQ(fault_error(*out.faulty(), true).diagnostic().why, "it changes the constant");

  ir::Graph again = ir::parse(kSum);
  CHECK(steps(again, {kNothing, kNothing}, true).faulty() == nullptr);
}

TEST_CASE("a pass that moves values may not change a bit of them") {
  ir::Graph graph = ir::parse(kSum);
  PassInfo pass = {"fault", "", [](ir::Graph& g, const PassContext&) {
                     g.constants[0].data = ir::scalar_tensor(2.0000002, ir::DType::f32);
                     return true;
                   }};
  CHECK(steps(graph, {pass}).faulty() == nullptr);
  pass.effect = Effect::none;
  ir::Graph again = ir::parse(kSum);
  const PassSteps out = steps(again, {pass});
  REQUIRE(out.faulty() != nullptr);
  CHECK_EQ(fault_error(*out.faulty(), false).diagnostic().why, "the pass must keep every bit");
}

TEST_CASE("a graph that no longer runs is a fault, one that never ran is not") {
  ir::Graph graph = ir::parse(kSum);
  const PassInfo pass = {"breaks", "", break_operator};
  const PassSteps out = steps(graph, {pass});
  REQUIRE(out.faulty() != nullptr);
  CHECK_EQ(*out.faulty()->fault,
           "the graph cannot run any more: torch has no operator 'aten::no_such_operator'");
  const PassSteps never = steps(graph, {kFault});
  CHECK(never.faulty() == nullptr);
  CHECK_EQ(never.refused, "torch has no operator 'aten::no_such_operator'");
  CHECK_EQ(never.steps.at(0).unknown, "torch has no operator 'aten::no_such_operator'");
}

TEST_CASE("random outputs are not compared") {
  ir::Graph graph = ir::parse(R"(graph m(%x: f32[4]) -> (%y as "y", %z as "z") {
    const %c: f32[] = {2.0}
    %r: f32[4] = aten::rand_like(self=%x, dtype=none, layout=none, device=none, pin_memory=none, memory_format=none)
    %y: f32[4] = aten::add.Tensor(self=%x, other=%r, alpha=1)
    %z: f32[4] = aten::add.Tensor(self=%x, other=%c, alpha=1)
  })");
  const PassSteps out = steps(graph, {kLossy});
  CHECK_EQ(out.random, std::vector<std::string>{"y"});
  REQUIRE_EQ(out.steps.at(0).outputs.size(), 1);
  CHECK_EQ(out.steps[0].outputs[0].name, "z");
}

struct Layer {
  const char* input;
  const char* weight;
  const char* output;
  const char* call;  ///< with $ for input, weight and bias
  int channels;
};

constexpr Layer kLayers[] = {
    {"2,3,7", "4,3,3", "2,4,5", "conv1d($, stride=[1], padding=[0], dilation=[1], groups=1)", 4},
    {"2,4,6,6", "6,2,3,3", "2,6,4,4",
     "conv2d($, stride=[1, 1], padding=[0, 0], dilation=[1, 1], groups=2)", 6},
    {"2,3,6,6", "4,3,3,3", "2,4,6,6",
     "conv2d.padding($, stride=[1, 1], padding=\"same\", dilation=[1, 1], groups=1)", 4},
    {"1,2,4,4,4", "3,2,2,2,2", "1,3,3,3,3",
     "conv3d($, stride=[1, 1, 1], padding=[0, 0, 0], dilation=[1, 1, 1], groups=1)", 3},
    {"2,3,5", "3,4,2", "2,4,6",
     "conv_transpose1d($, stride=[1], padding=[0], output_padding=[0], groups=1, dilation=[1])", 4},
    {"2,4,5,5", "4,3,2,2", "2,6,6,6",
     "conv_transpose2d.input($, stride=[1, 1], padding=[0, 0], output_padding=[0, 0], groups=2, "
     "dilation=[1, 1])",
     6},
    {"2,4,5,5", "4,3,2,2", "2,6,6,6",
     "_convolution($, stride=[1, 1], padding=[0, 0], dilation=[1, 1], transposed=true, "
     "output_padding=[0, 0], groups=2, benchmark=false, deterministic=false, cudnn_enabled=true, "
     "allow_tf32=true)",
     6},
    {"5,8", "6,8", "5,6", "linear($)", 6}};

int64_t bytes_of(const std::string& shape) {
  int64_t out = 4;
  std::istringstream sizes(shape);
  for (std::string size; std::getline(sizes, size, ',');) out *= std::stoll(size);
  return out;
}

std::string constant_text(const std::string& name, const std::string& shape) {
  // Below 64 bytes a text without values parses just as well.
  return cat("  const %", name, ": f32[", shape, "] = bytes=", bytes_of(shape), "\n");
}

std::string layer_text(const Layer& layer, bool has_bias, bool has_affine) {
  std::string call = layer.call;
  const size_t at = call.find('$');
  call.replace(at, 1, cat("input=%x, weight=%w.weight, bias=", has_bias ? "%w.bias" : "none"));
  const std::string channels = std::to_string(layer.channels);
  std::string constants;
  for (const char* name : {"w.bias", "g", "beta", "mean", "var"})
    constants += constant_text(name, channels);
  return cat("graph m(%x: f32[", layer.input, "]) -> (%y as \"y\") {\n",
             constant_text("w.weight", layer.weight), constants, "  %h: f32[", layer.output,
             "] = aten::", call, "\n  %y: f32[", layer.output,
             "] = aten::batch_norm(input=%h, weight=", has_affine ? "%g" : "none",
             ", bias=", has_affine ? "%beta" : "none",
             ", running_mean=%mean, running_var=%var, training=false, momentum=0.1, eps=1e-05, "
             "cudnn_enabled=true)\n}\n");
}

TEST_CASE("batch norms fold into every layer, with and without bias, scale and shift") {
  const std::vector<PassInfo> pipeline = passes::find_passes({"fold-batch-norm"});
  for (const Layer& layer : kLayers)
    for (const bool has_bias : {true, false})
      for (const bool has_affine : {true, false}) {
        CAPTURE(layer.call);
        CAPTURE(has_bias);
        CAPTURE(has_affine);
        ir::Graph graph = loaded(layer_text(layer, has_bias, has_affine));
        const PassSteps out = steps(graph, pipeline);
        REQUIRE(out.steps.at(0).changed);
        INFO(out.steps[0].fault.value_or(""));
        CHECK(out.faulty() == nullptr);
        REQUIRE_EQ(out.steps[0].outputs.size(), 1);
        CHECK(out.steps[0].outputs[0].comparison.snr_db > 100);
        CHECK_EQ(graph.nodes.size(), 1);
        CHECK_EQ(graph.constants.size(), 2);
      }
}

TEST_CASE("a fold that took the wrong axis would be seen") {
  // As many input channels as output channels: shapes alone say nothing.
  ir::Graph graph = loaded(layer_text(
      {"2,4,5", "4,4,2", "2,4,6",
       "conv_transpose1d($, stride=[1], padding=[0], output_padding=[0], groups=1, dilation=[1])",
       4},
      true, true));
  CHECK(steps(graph, passes::find_passes({"fold-batch-norm"})).faulty() == nullptr);
}

std::string conv_text(const std::string& name, const std::string& input, const std::string& call,
                      const std::string& output) {
  std::string text = call;
  const size_t at = text.find('$');
  text.replace(at, 1, cat("input=%", input, ", weight=%", name, ".weight, bias=%", name, ".bias"));
  return cat("  %", name, ": f32[", output, "] = aten::", text, "\n");
}

constexpr const char* kDepthwise =
    "conv2d($, stride=[1, 1], padding=[1, 1], dilation=[1, 1], groups=6)";
constexpr const char* kPointwise =
    "conv2d($, stride=[1, 1], padding=[0, 0], dilation=[1, 1], groups=1)";
constexpr const char* kGrouped =
    "conv2d($, stride=[1, 1], padding=[1, 1], dilation=[1, 1], groups=2)";
constexpr const char* kTransposed =
    "conv_transpose2d.input($, stride=[1, 1], padding=[0, 0], output_padding=[0, 0], groups=2, "
    "dilation=[1, 1])";

TEST_CASE("chains of pointwise, depthwise, grouped and transposed convolutions keep their values") {
  const auto relu = [](const char* name, const char* input, const char* shape) {
    return cat("  %", name, ": f32[", shape, "] = aten::relu(self=%", input, ")\n");
  };
  const std::string text =
      cat("graph m(%x: f32[2,3,8,8]) -> (%e as \"y\") {\n", constant_text("a.weight", "6,3,1,1"),
          constant_text("a.bias", "6"), constant_text("b.weight", "6,1,3,3"),
          constant_text("b.bias", "6"), constant_text("c.weight", "4,3,3,3"),
          constant_text("c.bias", "4"), constant_text("d.weight", "4,3,2,2"),
          constant_text("d.bias", "6"), constant_text("e.weight", "5,6,1,1"),
          constant_text("e.bias", "5"), conv_text("a", "x", kPointwise, "2,6,8,8"),
          relu("ra", "a", "2,6,8,8"), conv_text("b", "ra", kDepthwise, "2,6,8,8"),
          "  %pb: f32[2,6,4,4] = aten::max_pool2d(self=%b, kernel_size=[2, 2], stride=[2, 2], "
          "padding=[0, 0], dilation=[1, 1], ceil_mode=false)\n",
          conv_text("c", "pb", kGrouped, "2,4,4,4"), relu("rc", "c", "2,4,4,4"),
          conv_text("d", "rc", kTransposed, "2,6,5,5"), conv_text("e", "d", kPointwise, "2,5,5,5"),
          "}\n");
  ir::Graph graph = loaded(text);
  const ir::Graph before = graph;
  const PassSteps out = steps(graph, passes::find_passes({"equalise"}));
  REQUIRE(out.steps.at(0).changed);
  INFO(out.steps[0].fault.value_or(""));
  CHECK(out.faulty() == nullptr);
  REQUIRE_EQ(out.steps[0].outputs.size(), 1);
  CHECK(out.steps[0].outputs[0].comparison.snr_db > 100);
  // All but the last bias have changed: every layer takes part, through every kind of operation.
  for (size_t i = 0; i + 1 < graph.constants.size(); ++i) {
    CAPTURE(i);
    CHECK_FALSE(ir::same_values(graph.constants[i].data, before.constants[i].data));
  }
}

}  // namespace
}  // namespace t2n::test
