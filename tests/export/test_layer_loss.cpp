// SPDX-License-Identifier: Apache-2.0
// The table of layers: what became another operation, and loops, are measured all the same.
#include <doctest/doctest.h>

#include <cmath>

#include "src/compress/explain/loss.h"
#include "src/compress/explain/unquantised_weights.h"
#include "src/config/compression_settings.h"
#include "src/export/pass_table.h"
#include "src/model/torch_module.h"
#include "src/passes/layers.h"
#include "src/passes/pass.h"
#include "tests/support/named.h"
#include "tests/support/script.h"

namespace t2n::test {
namespace {

/// With random numbers for constants of reals.
ir::Graph filled(const std::string& text) {
  ir::Graph out = ir::parse(text);
  uint64_t seed = 21;
  for (ir::Constant& constant : out.constants)
    if (ir::is_float(constant.data.dtype)) constant.data = randn(constant.data.shape, seed++);
  return out;
}

ir::Graph compressed(ir::Graph graph, const compress::Settings& settings) {
  passes::PassContext context;
  context.evaluate = torch_module().evaluator();
  context.settings = &settings;
  passes::run_pipeline(graph,
                       {"insert-observers", "calculate-qparams", "insert-fake-quant",
                        "quantise-q4_0", "fold-constants"},
                       context);
  return graph;
}

compress::Settings settings_of(const std::string& weights) {
  return compress::Settings(
      config::read_compression_settings(R"({"": {"weights": )" + weights + "}}", "s.json"));
}

/// The rows of the table, measured on one batch.
std::vector<compress::LayerLoss> losses(const ir::Graph& before, const std::string& weights) {
  const ir::Evaluator evaluate = torch_module().evaluator();
  const ir::Graph after = compressed(before, settings_of(weights));
  compress::LossMeter meter(before, after, after, evaluate);
  std::vector<ir::Tensor> inputs;
  for (const ir::ValueId id : before.inputs)
    inputs.push_back(randn(ir::static_shape(before.values[static_cast<size_t>(id)].shape), 5));
  meter.add(before, after, inputs);
  return meter.layers();
}

TEST_CASE("products that become linear layers of packed weights stay in the table") {
  for (const char* const call :
       {"aten::matmul(self=%x, other=%w)", "aten::mm(self=%x, mat2=%w)",
        "aten::addmm(self=%b, mat1=%x, mat2=%w, beta=1, alpha=1)",
        "aten::einsum(equation=\"bi,ij->bj\", tensors=[%x, %w], path=none)"}) {
    CAPTURE(call);
    const ir::Graph graph = filled(
        cat("graph m(%x: f32[4,64]) -> (%y as \"y\") {\n  const %w: f32[64,32] = bytes=8192\n"
            "  const %b: f32[32] = bytes=128\n  %y: f32[4,32] = ",
            call, "\n}\n"));
    const auto layers = losses(graph, R"({"format": "q4_0"})");
    REQUIRE(layers.size() == 1);
    CHECK(layers[0].format == "q4_0");
    CHECK(layers[0].bytes_before == 8192);
    CHECK(layers[0].bytes_after == 1152);
    CHECK(layers[0].weights.snr_db() == doctest::Approx(21).epsilon(0.1));
    CHECK(layers[0].results.snr_db() == doctest::Approx(21).epsilon(0.1));
  }
}

/// A recurrent cell; `weights`: statements that make %i and %h of what is stored.
ir::Graph cell(const std::string& weights) {
  return ir::parse(cat("graph m(%x: f32[2,4], %s: f32[2,4]) -> (%y as \"y\") {\n", weights,
                       "  %y: f32[2,4] = aten::rnn_tanh_cell(input=%x, hx=%s, w_ih=%i, w_hh=%h, "
                       "b_ih=none, b_hh=none)\n}\n"));
}

TEST_CASE("the loss of a layer with several weights covers all of them") {
  const std::string full = "{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}\n";
  const std::string half = "{1, 0, 3, 0, 5, 0, 7, 0, 9, 0, 11, 0, 13, 0, 15, 0}\n";
  const ir::Graph before =
      cell(cat("  const %i: f32[4,4] = ", full, "  const %h: f32[4,4] = ", full));
  const ir::Graph after =
      cell(cat("  const %w: f16[4,4] = ", half, "  const %h: f32[4,4] = ", full,
               "  %i: f32[4,4] = aten::to.dtype(self=%w, dtype=f32, non_blocking=false, "
               "copy=false, memory_format=none)\n"));
  const ir::Evaluator evaluate = torch_module().evaluator();
  const compress::LossMeter meter(before, after, after, evaluate);
  REQUIRE(meter.layers().size() == 1);
  const compress::LayerLoss& layer = meter.layers()[0];
  CHECK(layer.format == "f16+f32");
  CHECK(layer.zeros == 0.25);
  CHECK(layer.bytes_before == 128);
  CHECK(layer.bytes_after == 96);
}

TEST_CASE("a layer without a counterpart stays in the table without a loss") {
  const std::string text = R"(graph m(%x: f32[2,16]) -> (%y as "y") {
    const %w: f32[16,16] = bytes=1024
    %y: f32[2,16] = aten::mm(self=%x, mat2=%w)
  })";
  const ir::Graph before = filled(text);
  const ir::Graph after = ir::parse(R"(graph m(%x: f32[2,16]) -> (%z as "y") {
    %z: f32[2,16] = aten::neg(self=%x)
  })");
  const ir::Evaluator evaluate = torch_module().evaluator();
  compress::LossMeter meter(before, after, after, evaluate);
  meter.add(before, after, {randn({2, 16}, 5)});
  REQUIRE(meter.layers().size() == 1);
  const compress::LayerLoss& layer = meter.layers()[0];
  CHECK_FALSE(layer.is_followed());
  CHECK(layer.format == "?");
  CHECK(layer.bytes_before == 1024);
  CHECK(layer.bytes_after == 0);
}

const std::string kLoop =
    R"(graph m(%x: f32[3,32], %h: f32[32]) -> (%last as "y") {
  const %w: f32[32,32] = bytes=4096
  %last: f32[32] = t2n::scan(length=3, scanned=[%x], scanned_axes=[0], scanned_reversed=[false], initial=[%h], captured=[%w], stacked_axes=[], stacked_reversed=bools[]) as scan_0 body graph iteration(%t: i64[], %v: f32[32], %s: f32[32], %w: f32[32,32]) -> (%n as "h") {
    %p: f32[32] = aten::linear(input=%s, weight=%w, bias=none) as linear_0
    %q: f32[32] = aten::tanh(self=%p) as tanh_0
    %n: f32[32] = aten::add.Tensor(self=%q, other=%v, alpha=1) as add_0
  }
}
)";

TEST_CASE("the results of a loop are measured where they are read, or given") {
  const auto layers = losses(filled(kLoop), R"({"bits": 4})");
  REQUIRE(layers.size() == 1);
  CHECK(std::isfinite(layers[0].results.snr_db()));
  CHECK(layers[0].results.snr_db() > 5);
}

TEST_CASE("weights that stay in floats are named, with the reason") {
  const auto left = [](const std::string& text, const std::string& weights) {
    const ir::Graph graph = filled(text);
    const compress::Settings settings = settings_of(weights);
    std::vector<std::string> out;
    for (const auto& each :
         compress::unquantised_weights(graph, compressed(graph, settings), settings))
      out.push_back(cat(each.name, " ", each.bytes, ": ", each.why));
    return out;
  };
  using Words = std::vector<std::string>;
  CHECK(left(kLoop, R"({"bits": 8})") == Words{});
  CHECK(left(kLoop, R"({"format": "q4_0"})") ==
        Words{"w 4096: tract does not support 4-bit blocks inside a loop"});
  const std::string product = R"(graph m(%x: f32[16,16]) -> (%y as "y") {
    const %w: f32[16,16] = bytes=1024
    %y: f32[16,16] = aten::mul.Tensor(self=%x, other=%w)
  })";
  CHECK(left(product, R"({"bits": 8})") ==
        Words{"w 1024: aten::mul.Tensor reads it and is not a layer"});
  // Of layers, small ones as well.
  const std::string narrow = R"(graph m(%x: f32[4,20]) -> (%y as "y") {
    const %w: f32[3,20] = bytes=240
    %y: f32[4,3] = aten::linear(input=%x, weight=%w, bias=none)
  })";
  CHECK(left(narrow, R"({"format": "q4_0"})") ==
        Words{"w 240: its row length is not a multiple of 32"});
}

TEST_CASE("weights of 64 bits stay, in any format, and activations with them") {
  ir::Graph graph = ir::parse(R"(graph m(%x: f64[4,32]) -> (%y as "y") {
    const %w: f64[3,32] = bytes=768
    %y: f64[4,3] = aten::linear(input=%x, weight=%w, bias=none)
  })");
  graph.constants.at(0).data =
      ir::tensor_of(ir::DType::f64, {3, 32}, std::vector<double>(96, 0.25));
  for (const char* weights : {R"({"format": "q4_0"})", R"({"format": "f16"})", R"({"bits": 8})"}) {
    CAPTURE(weights);
    const compress::Settings settings = settings_of(weights);
    const auto left = compress::unquantised_weights(graph, compressed(graph, settings), settings);
    REQUIRE(left.size() == 1);
    CHECK(left[0].why == "its elements are f64");
  }
  const compress::Settings of_both(
      config::read_compression_settings(R"({"": {"activations": {"bits": 8}}})", "s.json"));
  CHECK(compress::activations_in_floats(graph, of_both).size() == 1);
}

struct Product {
  ir::Ints x, w, y;
  std::string call;
  int axis;
};

ir::Graph product_graph(const Product& product) {
  const auto type_of = [](const ir::Ints& shape) {
    return cat("f32", ir::shape_str(ir::to_shape(shape)));
  };
  return filled(cat("graph m(%x: ", type_of(product.x), ") -> (%y as \"y\") {\n  const %w: ",
                    type_of(product.w), " = bytes=", 4 * ir::element_count(product.w),
                    "\n  %y: ", type_of(product.y), " = aten::", product.call, "\n}\n"));
}

TEST_CASE("products are layers, whatever their rank and whichever factor is the weight") {
  for (const Product& each :
       std::vector<Product>{{{4, 5, 32}, {4, 32, 16}, {4, 5, 16}, "bmm(self=%x, mat2=%w)", 2},
                            {{4, 5, 32}, {4, 16, 5}, {4, 16, 32}, "bmm(self=%w, mat2=%x)", 1},
                            {{4, 5, 32}, {16, 5}, {4, 16, 32}, "matmul(self=%w, other=%x)", 0},
                            {{5, 32}, {16, 5}, {16, 32}, "mm(self=%w, mat2=%x)", 0}}) {
    CAPTURE(each.call);
    const ir::Graph graph = product_graph(each);
    const auto layer = passes::layer_of(graph, graph.nodes.at(0), passes::known_values(graph));
    REQUIRE(layer);
    CHECK(layer->weights.at(0).channel_axis == each.axis);
    CHECK(layer->activations.size() == 1);
    const auto layers = losses(graph, R"({"bits": 8})");
    REQUIRE(layers.size() == 1);
    CHECK(layers[0].weights.snr_db() == doctest::Approx(47).epsilon(0.15));
    CHECK(layers[0].results.snr_db() > 35);
  }
}

}  // namespace
}  // namespace t2n::test
