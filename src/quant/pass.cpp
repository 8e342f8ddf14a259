// The pass `expand-quantised`; its contract stands in rules.h.
#include "src/passes/pass.h"

#include <algorithm>

#include "src/quant/rules.h"

namespace t2n::quant {
namespace {

bool is_of_quantized(const ir::Node& node) {
  return ir::op_name(node.op).starts_with("quantized::");
}

/// Operators of `aten` on plain tensors of integers.
bool is_of_integers(const ir::Node& node) {
  return find_integer_rule(ir::op_name(node.op)) != nullptr;
}

bool is_rewritten(const ir::Node& node) { return is_of_quantized(node) || is_of_integers(node); }

bool needs_rewriting(const ir::Graph& graph) {
  return std::any_of(graph.values.begin(), graph.values.end(),
                     [](const ir::Value& value) { return value.quant.has_value(); }) ||
         std::any_of(graph.nodes.begin(), graph.nodes.end(), is_rewritten);
}

QuantRule find_rule(const QuantBuilder& b) {
  if (b.word() == "quantized_batch_norm") return find_norm_rule(b.word());
  if (!is_of_quantized(b.node())) return find_aten_rule(b.word());
  for (const auto find : {find_layer_rule, find_dynamic_rule, find_embedding_rule,
                          find_function_rule, find_norm_rule})
    if (const QuantRule rule = find(b.word())) return rule;
  return nullptr;
}

void rewrite(QuantBuilder& b) {
  if (!b.involves_quantised() && !is_rewritten(b.node())) return b.keep();
  if (is_of_integers(b.node())) return find_integer_rule(ir::op_name(b.node().op))(b);
  if (b.node().body)
    return b.refuse("a loop carries, reads or collects quantised tensors",
                    "let it do so with their dequantize()d values");
  if (b.involves_dynamic() && (is_of_quantized(b.node()) || !takes_any_scale(b.word())))
    return b.refuse("the scale of its operand follows from data", "dequantize() its operands");
  if (const QuantRule rule = find_rule(b)) return rule(b);
  b.refuse("it has no form for quantised tensors here", "dequantize() its operands");
}

}  // namespace
}  // namespace t2n::quant

bool t2n::passes::expand_quantised(ir::Graph& graph, const PassContext& context) {
  if (!quant::needs_rewriting(graph)) return false;
  quant::QuantBuilder builder(graph, context.sizes_vary);
  std::vector<ir::Node> nodes = std::exchange(graph.nodes, {});
  for (ir::Node& node : nodes) {
    builder.begin(std::move(node));
    quant::rewrite(builder);
  }
  builder.finish_outputs();
  builder.finish();
  return true;
}
