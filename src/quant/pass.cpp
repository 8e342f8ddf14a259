// The pass `expand-quantised`; its contract stands in rules.h.
#include "src/passes/pass.h"

#include <algorithm>

#include "src/quant/rules.h"

namespace t2n::quant {
namespace {

bool is_of_quantized(const ir::Node& node) {
  return ir::op_name(node.op).starts_with("quantized::");
}

/// Weights of 16 bits are no quantised tensors.
bool is_recurrent(const ir::Node& node) {
  return find_recurrent_rule(passes::base_word(node.op)) != nullptr;
}
bool is_fake(const ir::Node& node) { return find_fake_rule(passes::base_word(node.op)) != nullptr; }
/// Operators of `aten` on plain tensors of integers.
bool is_of_integers(const ir::Node& node) {
  return find_integer_rule(ir::op_name(node.op)) != nullptr;
}

/// Whatever its operands are.
bool is_rewritten(const ir::Node& node) {
  return is_of_quantized(node) || is_recurrent(node) || is_fake(node) || is_of_integers(node);
}

bool needs_rewriting(const ir::Graph& graph) {
  return std::any_of(graph.values.begin(), graph.values.end(),
                     [](const ir::Value& value) { return value.quant.has_value(); }) ||
         std::any_of(graph.nodes.begin(), graph.nodes.end(), is_rewritten);
}

QuantRule find_rule(const QuantBuilder& b) {
  if (b.word() == "quantized_batch_norm") return find_norm_rule(b.word());
  if (const QuantRule rule = find_recurrent_rule(b.word())) return rule;
  if (!is_of_quantized(b.node())) return find_aten_rule(b.word());
  for (const auto find : {find_layer_rule, find_dynamic_rule, find_embedding_rule,
                          find_function_rule, find_norm_rule})
    if (const QuantRule rule = find(b.word())) return rule;
  return nullptr;
}

/// Whether all that is quantised about a loop is what its turns read alike, such as weights.
bool only_captures(const QuantBuilder& b) {
  bool out = true;
  for (size_t i = 0; i < b.node().outputs.size(); ++i)
    out = out && b.output_info(static_cast<int>(i)) == nullptr;
  const ir::Scan scan = ir::read_scan(b.node());
  for (const auto* ids : {&scan.scanned, &scan.initial})
    for (const ir::ValueId id : *ids) out = out && !b.info_at(id);
  return out;
}

void rewrite_loop(QuantBuilder& b) {
  if (only_captures(b)) return b.keep_on([&](ir::ValueId id) { return b.steps_at(id); });
  b.refuse("a loop carries or collects quantised tensors",
           "let it do so with their dequantize()d values");
}

void rewrite(QuantBuilder& b) {
  if (is_fake(b.node())) return find_fake_rule(b.word())(b);
  if (!b.involves_quantised() && !is_rewritten(b.node())) return b.keep();
  if (is_of_integers(b.node())) return find_integer_rule(ir::op_name(b.node().op))(b);
  if (b.node().body) return rewrite_loop(b);
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
