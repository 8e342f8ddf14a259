// The pass `expand-quantised`; its contract stands in rules.h.
#include "src/passes/pass.h"

#include <algorithm>

#include "src/quant/rules.h"

namespace t2n::quant {
namespace {

bool is_of_quantized(const ir::Node& node) {
  return ir::op_name(node.op).starts_with("quantized::");
}

bool is_fake(const ir::Node& node) { return find_fake_rule(passes::base_word(node.op)) != nullptr; }

bool needs_rewriting(const ir::Graph& graph) {
  return std::any_of(graph.values.begin(), graph.values.end(),
                     [](const ir::Value& value) { return value.quant.has_value(); }) ||
         std::any_of(graph.nodes.begin(), graph.nodes.end(),
                     [](const ir::Node& node) { return is_of_quantized(node) || is_fake(node); });
}

QuantRule find_rule(const QuantBuilder& b) {
  if (!is_of_quantized(b.node())) return find_aten_rule(b.word());
  for (const auto find :
       {find_layer_rule, find_dynamic_rule, find_embedding_rule, find_function_rule})
    if (const QuantRule rule = find(b.word())) return rule;
  return nullptr;
}

void rewrite(QuantBuilder& b) {
  if (is_fake(b.node())) return find_fake_rule(b.word())(b);
  if (!b.involves_quantised() && !is_of_quantized(b.node())) return b.keep();
  if (b.node().body)
    return b.refuse("a loop carries, reads or collects quantised tensors",
                    "let it do so with their dequantize()d values");
  if (const QuantRule rule = find_rule(b)) return rule(b);
  b.refuse("it has no form for quantised tensors here", "dequantize() its operands");
}

}  // namespace
}  // namespace t2n::quant

bool t2n::passes::expand_quantised(ir::Graph& graph, const PassContext&) {
  if (!quant::needs_rewriting(graph)) return false;
  quant::QuantBuilder builder(graph);
  std::vector<ir::Node> nodes = std::exchange(graph.nodes, {});
  for (ir::Node& node : nodes) {
    builder.begin(std::move(node));
    quant::rewrite(builder);
  }
  builder.finish_outputs();
  builder.finish();
  return true;
}
