// SPDX-License-Identifier: Apache-2.0
// The pass `expand-quantised`; rules.h states its contract.
#include <algorithm>
#include <array>
#include <initializer_list>
#include <map>
#include <set>

#include "src/diag/error.h"
#include "src/passes/passes.h"
#include "src/quant/passes.h"
#include "src/quant/rules.h"

namespace t2n::quant {
namespace {

using Tables = std::initializer_list<const QuantRules*>;

QuantRules merged(Tables tables) {
  QuantRules out;
  for (const QuantRules* each : tables)
    for (const auto& [name, rule] : *each)
      T2N_ASSERT(out.emplace(name, rule).second, "two rules for ", name);
  return out;
}

/// Operators of torch's namespace `quantized`.
const QuantRules& rules_of_quantized() {
  static const QuantRules rules = merged({&layer_rules(), &dynamic_rules(), &cell_rules(),
                                          &embedding_rules(), &function_rules(), &norm_rules()});
  return rules;
}

/// Operators that have no translation for any operands.
const QuantRules& rules_of_plain() {
  static const QuantRules rules = merged({&recurrent_rules(), &fake_rules(), &integer_rules()});
  return rules;
}

/// Operators on quantised tensors.
const QuantRules& rules_of_aten() {
  static const QuantRules rules = merged({&any_scale_rules(), &tensor_rules()});
  return rules;
}

QuantRule rule_in(const QuantRules& rules, std::string_view name) {
  const auto found = rules.find(name);
  return found == rules.end() ? nullptr : found->second;
}

bool is_quantized_operator(const ir::Node& node) {
  return ir::op_name(node.op).starts_with("quantized::");
}

/// True for operators that are rewritten for any operands.
bool is_rewritten(const ir::Node& node) {
  return is_quantized_operator(node) ||
         (ir::op_name(node.op).starts_with("aten::") &&
          rule_in(rules_of_plain(), ir::op_base_name(node.op)) != nullptr);
}

bool needs_rewriting(const ir::Graph& graph) {
  return std::any_of(graph.values.begin(), graph.values.end(),
                     [](const ir::Value& value) { return value.quant.has_value(); }) ||
         std::any_of(graph.nodes.begin(), graph.nodes.end(), is_rewritten);
}

QuantRule find_rule(const QuantBuilder& b) {
  if (is_quantized_operator(b.node())) return rule_in(rules_of_quantized(), b.base_name());
  return rule_in(is_rewritten(b.node()) ? rules_of_plain() : rules_of_aten(), b.base_name());
}

/// Whether a loop's quantised values are only captured, such as weights.
bool only_captures(const QuantBuilder& b) {
  bool out = true;
  for (size_t i = 0; i < b.node().outputs.size(); ++i)
    out = out && b.output_info(static_cast<int>(i)) == nullptr;
  const ir::Scan scan = ir::read_scan(b.node());
  for (const auto* ids : {&scan.scanned, &scan.initial})
    for (const ir::ValueId id : *ids) out = out && !b.info_at(id);
  return out;
}

/// The body is rewritten separately, with its own scales.
void rewrite_loop(QuantBuilder& b) {
  if (!only_captures(b))
    return b.refuse("a loop carries or collects quantised tensors",
                    "let it do so with their dequantize()d values");
  if (b.involves_dynamic())
    return b.refuse("a loop reads a quantised tensor with a data-dependent scale",
                    "dequantize() it before the loop");
  b.keep_with([&](ir::ValueId id) { return b.centred_at(id); });
}

/// A single tensor with a data-dependent scale supports data movement and dequantisation. Several
/// operands would have different scales.
bool refuse_dynamic(QuantBuilder& b) {
  if (!b.involves_dynamic()) return false;
  const bool is_at_any_scale =
      !is_quantized_operator(b.node()) && any_scale_rules().contains(b.base_name());
  const bool dequantises = b.base_name() == "dequantize";
  if (b.base_name() == "q_scale" || b.base_name() == "q_zero_point") return false;
  if (is_at_any_scale && (b.quantised_operands() == 1 || dequantises)) return false;
  b.refuse(is_at_any_scale ? "it has several quantised operands, one with a data-dependent scale"
                           : "its operand has a data-dependent scale",
           "dequantize() its operands");
  return true;
}

bool refuse_wide(QuantBuilder& b) {
  if (!b.has_wide_points()) return false;
  b.refuse("integers of 32 bits with a zero point have more bits than f32 holds",
           "quantise with a zero point of 0, or to 8 bits");
  return true;
}

void apply_rule(QuantBuilder& b, QuantRule rule) {
  b.ignore({"memory_format", "layout", "device", "pin_memory", "non_blocking"},
           "the memory layout changes no values");
  rule(b);
  const std::string unread = b.unread();
  T2N_ASSERT(unread.empty(), ir::op_name(b.node().op), ": '", unread, "' was never read");
  b.propagate_wide(false);
}

void rewrite(QuantBuilder& b) {
  b.read_order();
  if (!b.involves_quantised() && !is_rewritten(b.node())) return b.keep();
  if (b.node().body) return rewrite_loop(b);
  if (refuse_dynamic(b) || refuse_wide(b)) return;
  if (const QuantRule rule = find_rule(b)) return apply_rule(b, rule);
  b.refuse("it has no implementation for quantised tensors", "dequantize() its operands");
}

/// Parameters of fake quantisers that are constant expressions, such as tensors that a model's
/// forward creates.
std::map<ValueId, ir::Tensor> computed_parameters(const ir::Graph& graph,
                                                  const passes::PassContext& context) {
  constexpr std::array<std::string_view, 3> kNames = {"scale", "zero_point", "fake_quant_enabled"};
  const std::vector<int> constants = ir::constant_index(graph);
  std::set<ValueId> parameters;
  for (const ir::Node& node : graph.nodes)
    if (rule_in(fake_rules(), ir::op_base_name(node.op)) != nullptr)
      for (const std::string_view each : kNames)
        if (const ValueId id = ir::operand(node, each); id != ir::kNoValue && constants[id] < 0)
          parameters.insert(id);
  if (parameters.empty()) return {};
  ir::Graph part = graph;
  part.outputs.assign(parameters.begin(), parameters.end());
  part.output_names.clear();
  for (size_t i = 0; i < parameters.size(); ++i) part.output_names.push_back(cat("output_", i));
  passes::remove_dead(part);
  passes::fold_constants(part, context);
  const std::vector<int> folded = ir::constant_index(part);
  std::map<ValueId, ir::Tensor> out;
  size_t i = 0;
  for (const ValueId id : parameters)
    if (const int at = folded[part.outputs[i++]]; at >= 0) out.emplace(id, part.constants[at].data);
  return out;
}

}  // namespace
}  // namespace t2n::quant

bool t2n::quant::expand_quantised(ir::Graph& graph, const passes::PassContext& context) {
  if (!quant::needs_rewriting(graph)) return false;
  quant::QuantBuilder builder(graph, context.sizes_vary, context.multiplies_scales);
  builder.set_computed(quant::computed_parameters(graph, context));
  std::vector<ir::Node> nodes = std::exchange(graph.nodes, {});
  for (ir::Node& node : nodes) {
    builder.begin(std::move(node));
    quant::rewrite(builder);
  }
  builder.finish_outputs();
  builder.finish();
  return true;
}
