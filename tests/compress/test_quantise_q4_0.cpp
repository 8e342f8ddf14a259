// SPDX-License-Identifier: Apache-2.0
// The pass `quantise-q4_0`: which weights it takes, what it writes, what others make of it.
#include <doctest/doctest.h>

#include <vector>

#include "src/compress/passes.h"
#include "src/compress/round/quantise_q4_0.h"
#include "src/passes/passes.h"
#include "tests/ir/support.h"

namespace t2n::compress {
namespace {

using ir::Graph;

constexpr std::string_view kTied = R"(graph m(%i: i64[2]) -> (%y as "y") {
    const %w: f32[64,32] = bytes=8192
    const %v: f32[32,32] = bytes=4096
    %e: f32[2,32] = aten::embedding(weight=%w, indices=%i, padding_idx=-1, scale_grad_by_freq=false, sparse=false)
    %h: f32[2,32] = aten::linear(input=%e, weight=%v, bias=none)
    %t: f32[32,64] = aten::t(self=%w)
    %y: f32[2,64] = aten::mm(self=%h, mat2=%t)
  })";

/// The graph with numbers in its constants.
Graph loaded(std::string_view text) {
  Graph graph = ir::parse(text);
  for (ir::Constant& constant : graph.constants) {
    std::vector<double> values(static_cast<size_t>(constant.data.elements()));
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<double>(i * 2654435761U % 1000) / 500 - 1;
    constant.data = ir::tensor_of(constant.data.dtype, constant.data.shape, values);
  }
  return graph;
}

/// The text of a graph without what identifies the content of its constants.
std::string text_of(const Graph& graph) {
  std::string text = ir::print(graph);
  for (size_t at = text.find(" hash="); at != std::string::npos; at = text.find(" hash="))
    text.erase(at, text.find('\n', at) - at);
  return text;
}

TEST_CASE("shared weights are packed once, products become linear layers") {
  Graph graph = loaded(kTied);
  const std::vector<Q4Weight> weights = pack_weights(graph, {});
  ir::verify(graph, "quantise-q4_0");
  REQUIRE(weights.size() == 2);
  CHECK(weights[0].name == "w");
  CHECK(weights[0].unpacked_reason == "");
  CHECK(weights[0].elements == 64 * 32);
  CHECK(weights[0].relative_error > 0.01);
  CHECK(weights[0].relative_error < 0.1);
  CHECK_EQ(text_of(graph), R"(graph m(%i: i64[2]) -> (%y as "y") {
  const %w: u8[64,18] = bytes=1152
  const %v: u8[32,18] = bytes=576
  %w_unpacked: f32[64,32] = t2n::dequantise_q4_0(self=%w, shape=[64, 32], dtype=f32) as dequantise_q4_0_0
  %e: f32[2,32] = aten::embedding(weight=%w_unpacked, indices=%i, padding_idx=-1, scale_grad_by_freq=false, sparse=false) as embedding_0
  %v_unpacked: f32[32,32] = t2n::dequantise_q4_0(self=%v, shape=[32, 32], dtype=f32) as dequantise_q4_0_1
  %h: f32[2,32] = aten::linear(input=%e, weight=%v_unpacked, bias=none) as linear_0
  %y: f32[2,64] = aten::linear(input=%h, weight=%w_unpacked, bias=none) as linear_1
}
)");
  CHECK(ir::print(ir::parse(ir::print(graph))) == ir::print(graph));
}

TEST_CASE("a weight is packed if all who share it want that") {
  Graph graph = loaded(kTied);
  Q4Options options;
  options.rounding_for = [](const Graph&, const ir::Node& node) {
    return ir::op_name(node.op) == "aten::mm" ? std::optional(Q4Rounding::least_error)
                                              : std::nullopt;
  };
  const std::string before = ir::print(graph);
  const std::vector<Q4Weight> weights = pack_weights(graph, options);
  REQUIRE(weights.size() == 1);
  CHECK(weights[0].unpacked_reason == "aten::embedding also reads it and needs floats");
  CHECK(ir::print(graph) == before);
}

TEST_CASE("weights that the target reads only as floats stay unchanged") {
  Graph graph = loaded(R"(graph m(%x: f32[1,8,9]) -> (%y as "y") {
    const %w: f32[4,8,4] = bytes=512
    %y: f32[1,4,6] = aten::conv1d(input=%x, weight=%w, bias=none, stride=[1], padding=[0], dilation=[1], groups=1)
  })");
  Q4Options options;
  options.is_readable = reads_q4_0({target::Engine::tract, {0, 21, 11}});
  CHECK(pack_weights(graph, options).at(0).unpacked_reason ==
        "the target does not support packed weights in aten::conv1d");
  options.is_readable = reads_q4_0(target::parse_target("tract@0.21.13"));
  CHECK(pack_weights(graph, options).at(0).unpacked_reason == "");
}

TEST_CASE("moments of a layer's inputs choose the rounding") {
  std::vector<double> moments(32 * 32, 0.9);
  for (size_t i = 0; i < 32; ++i) moments[i * 33] = 1;
  const auto packed = [&](Q4Rounding rounding, bool is_seen) {
    Graph graph = loaded(kTied);
    Q4Options options;
    options.rounding_for = [=](const Graph&, const ir::Node&) { return std::optional(rounding); };
    options.second_moments = [&](const Graph&, const ir::Node& node) {
      return is_seen && ir::op_name(node.op) == "aten::linear" ? moments : std::vector<double>();
    };
    pack_weights(graph, options);
    return graph.constants.at(1).data;
  };
  const ir::Tensor searched = packed(Q4Rounding::least_error, true);
  CHECK(!ir::same_values(searched, packed(Q4Rounding::nearest, true)));
  CHECK(!ir::same_values(searched, packed(Q4Rounding::compensated, true)));
  CHECK(ir::same_values(searched, packed(Q4Rounding::compensated, false)));
}

TEST_CASE("weights that blocks cannot hold say why") {
  Graph graph = loaded(kTied);
  std::vector<double> values(64 * 32, 1);
  values[5] = std::nan("");
  graph.constants[0].data = ir::tensor_of(ir::DType::f32, {64, 32}, values);
  const std::vector<Q4Weight> weights = pack_weights(graph, {});
  CHECK(weights.at(0).unpacked_reason == kQ4NotFinite);
  CHECK(weights.at(1).unpacked_reason == "");
  ir::verify(graph, "quantise-q4_0");
  Graph text = ir::parse(kTied);
  CHECK(pack_weights(text, {}).at(0).unpacked_reason == "its values are not loaded");
}

TEST_CASE("the pass skips bodies of loops, and operators for which the target has no packed form") {
  Graph graph = loaded(kTied);
  passes::PassContext context;
  context.in_body = true;
  CHECK(!quantise_q4_0(graph, context));
  context.in_body = false;
  context.native = ir::all_operators_but({ir::op_id(kDequantise)});
  CHECK(!quantise_q4_0(graph, context));
  context.native = ir::all_operators_but({});
  CHECK(quantise_q4_0(graph, context));
  CHECK(!quantise_q4_0(graph, context));
}

TEST_CASE("folding never recreates the floats") {
  Graph graph = loaded(kTied);
  pack_weights(graph, {});
  passes::PassContext context;
  bool is_asked = false;
  context.evaluate = [&](const ir::Node&, const ir::Operand&) {
    is_asked = true;
    return std::vector<ir::Tensor>();
  };
  const std::string before = ir::print(graph);
  CHECK(!passes::fold_constants(graph, context));
  CHECK(!is_asked);
  CHECK(ir::print(graph) == before);
}

}  // namespace
}  // namespace t2n::compress
