// SPDX-License-Identifier: Apache-2.0
// Fused layers of attention, and what they are made of, give the same.
#include <doctest/doctest.h>

#include "src/diag/error.h"
#include "src/export/pass_table.h"
#include "src/model/torch_module.h"
#include "src/passes/layers.h"
#include "src/passes/pass.h"
#include "tests/support/script.h"

namespace t2n::test {
namespace {

const std::string kParameters = R"({
    const %qkv_w: f32[24,8] = bytes=768
    const %qkv_b: f32[24] = bytes=96
    const %proj_w: f32[8,8] = bytes=256
    const %proj_b: f32[8] = bytes=32
    const %n1_w: f32[8] = bytes=32
    const %n1_b: f32[8] = bytes=32
    const %n2_w: f32[8] = bytes=32
    const %n2_b: f32[8] = bytes=32
    const %f1_w: f32[12,8] = bytes=384
    const %f1_b: f32[12] = bytes=48
    const %f2_w: f32[8,12] = bytes=384
    const %f2_b: f32[8] = bytes=32
    const %square: bool[3,3] = {false, true, true, false, false, true, false, false, false}
    const %keys: bool[2,3] = {false, false, true, false, true, false}
)";
const std::string kProjections =
    "qkv_weight=%qkv_w, qkv_bias=%qkv_b, proj_weight=%proj_w, proj_bias=%proj_b, ";
const std::string kNoMask = "mask=none, mask_type=none";
const std::string kSquare = "mask=%square, mask_type=0";
const std::string kKeys = "mask=%keys, mask_type=1";

std::string encoder(const std::string& how, const std::string& mask) {
  return cat("%y: f32[2,3,8] = aten::_transformer_encoder_layer_fwd(src=%x, embed_dim=8, ",
             "num_heads=2, ", kProjections, how,
             ", eps=0.001, norm_weight_1=%n1_w, norm_bias_1=%n1_b, norm_weight_2=%n2_w, "
             "norm_bias_2=%n2_b, ffn_weight_1=%f1_w, ffn_bias_1=%f1_b, ffn_weight_2=%f2_w, "
             "ffn_bias_2=%f2_b, ",
             mask, ")");
}

std::string attention(const std::string& key, const std::string& mask) {
  return cat("%y: f32[2,3,8], %a: f32[2,3,3] = aten::_native_multi_head_attention(query=%x, key=",
             key, ", value=%x, embed_dim=8, num_head=2, ", kProjections,
             "need_weights=true, average_attn_weights=true, ", mask, ")");
}

ir::Graph attention_graph(const std::string& call, const std::string& outputs) {
  ir::Graph out = ir::parse(cat("graph m(%x: f32[2,3,8], %z: f32[2,3,8]) -> (", outputs, ") ",
                                kParameters, "    ", call, "\n}\n"));
  uint64_t seed = 21;
  for (ir::Constant& constant : out.constants)
    if (ir::is_float(constant.data.dtype)) constant.data = randn(constant.data.shape, seed++);
  return out;
}

/// How many layers with weights there are afterwards; results are compared.
size_t layers_after(const ir::Graph& before) {
  ir::Graph after = before;
  passes::PassContext context;
  context.evaluate = torch_module().evaluator();
  passes::run_pipeline(after, {"expand-attention"}, context);
  const std::vector<ir::Tensor> inputs = {randn({2, 3, 8}, 5), randn({2, 3, 8}, 6)};
  const auto wanted = ir::to_f64(ir::run_graph(before, inputs, context.evaluate).at(0));
  const auto given = ir::to_f64(ir::run_graph(after, inputs, context.evaluate).at(0));
  REQUIRE(wanted.size() == given.size());
  for (size_t i = 0; i < wanted.size(); ++i)
    CHECK(given[i] == doctest::Approx(wanted[i]).epsilon(1e-4));
  const std::vector<bool> known = passes::known_values(after);
  return static_cast<size_t>(std::count_if(
      after.nodes.begin(), after.nodes.end(),
      [&](const ir::Node& node) { return passes::layer_of(after, node, known).has_value(); }));
}

TEST_CASE("fused attention is the layers that it is made of") {
  const std::string one = "%y as \"y\"";
  for (const std::string& call : {encoder("use_gelu=false, norm_first=false", kNoMask),
                                  encoder("use_gelu=true, norm_first=true", kNoMask),
                                  encoder("use_gelu=true, norm_first=false", kSquare),
                                  encoder("use_gelu=false, norm_first=true", kKeys)}) {
    CAPTURE(call);
    CHECK(layers_after(attention_graph(call, one)) == 4);
  }
  for (const std::string& mask : {kNoMask, kSquare, kKeys}) {
    CAPTURE(mask);
    CHECK(layers_after(attention_graph(attention("%x", mask), one)) == 2);
  }
}

TEST_CASE("each layer belongs to the module of its weight, others to the fused layer's") {
  ir::Graph graph =
      attention_graph(encoder("use_gelu=false, norm_first=false", kNoMask), "%y as \"y\"");
  const ir::ScopeId layer = ir::add_scope(graph, 0, "TransformerEncoderLayer", "l");
  ir::add_scope(graph, ir::add_scope(graph, layer, "MultiheadAttention", "self_attn"), "Linear",
                "out_proj");
  ir::add_scope(graph, layer, "Linear", "linear1");
  graph.nodes.at(0).scope = layer;
  for (ir::Value& value : graph.values) {
    if (value.name == "qkv_w") value.name = "l.self_attn.in_proj_weight";
    if (value.name == "proj_w") value.name = "l.self_attn.out_proj.weight";
    if (value.name == "f1_w") value.name = "l.linear1.weight";
    if (value.name == "f2_w") value.name = "l.linear2.weight";  // a module that is not known
  }
  passes::run_pipeline(graph, {"expand-attention"}, {});
  std::vector<std::string> modules;
  for (const ir::Node& node : graph.nodes)
    if (ir::op_name(node.op) == "aten::linear" || ir::op_name(node.op) == "aten::relu" ||
        ir::op_name(node.op) == "aten::scaled_dot_product_attention")
      modules.push_back(ir::module_path(graph, node.scope));
  CHECK(modules == std::vector<std::string>{"l.self_attn", "l.self_attn", "l.self_attn.out_proj",
                                            "l.linear1", "l", "l"});
}

TEST_CASE("attention to something else, or whose weights are read, stays fused") {
  CHECK(layers_after(attention_graph(attention("%z", kNoMask), "%y as \"y\"")) == 0);
  CHECK(layers_after(attention_graph(attention("%x", kNoMask), "%y as \"y\", %a as \"a\"")) == 0);
}

}  // namespace
}  // namespace t2n::test
