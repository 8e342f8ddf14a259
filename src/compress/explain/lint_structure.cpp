// Rules about neighbouring operations.
#include <algorithm>
#include <array>

#include "src/compress/explain/lint_view.h"
#include "src/diag/error.h"

namespace t2n::compress {
namespace {

using ir::Node;
using ir::ValueId;

/// Whether all readers of the integers dequantise them.
bool is_only_dequantised(const LintView& view, ValueId integers) {
  const size_t at = integers;
  return !view.is_output[at] && !view.readers[at].empty() &&
         std::all_of(view.readers[at].begin(), view.readers[at].end(),
                     [&](size_t reader) { return is_dequantise(view.graph.nodes[reader]); });
}

/// True for operations whose integer operands must share one scale.
bool joins(const Node& node) {
  constexpr std::array<std::string_view, 9> kNames = {
      "add", "add_relu", "sub", "cat", "cat_relu", "concat", "concatenate", "stack", "hstack"};
  const std::string_view name = ir::op_base_name(node.op);
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

}  // namespace

void find_redundant_pairs(const LintView& view, Findings& findings) {
  constexpr std::string_view kRule = "idle-pair";
  for (const Node& node : view.graph.nodes) {
    if (!is_quantise(node)) continue;
    const ValueId floats = ir::operand(node, "self");
    const ValueId integers = node.outputs.at(0);
    if (floats == ir::kNoValue || view.is_known(floats)) continue;
    const Node* before = view.producer(floats);
    if (before != nullptr && is_dequantise(*before)) {
      const ValueId first = ir::operand(*before, "self");
      const bool is_same = first != ir::kNoValue &&
                           view.value(first).quant == view.value(integers).quant &&
                           view.value(first).dtype == view.value(integers).dtype;
      findings.add(
          kRule, view, node,
          cat(quoted_name(view, floats), " is dequantised and quantised again, with ",
              is_same ? "the same parameters" : "other parameters", " and nothing between"),
          is_same ? "run propagate-qparams" : "give both one scale");
    } else if (is_only_dequantised(view, integers)) {
      findings.add(
          kRule, view, node,
          cat(quoted_name(view, floats), " is quantised and dequantised with nothing between"));
    }
  }
}

void find_float_constants(const LintView& view, Findings& findings) {
  constexpr std::string_view kRule = "float-constant";
  for (const Node& node : view.graph.nodes) {
    const ValueId operand = ir::operand(node, "self");
    if (operand == ir::kNoValue || !view.is_known(operand)) continue;
    const bool is_constant = view.constants[operand] >= 0;
    if (is_fake_quant(node) || is_quantise(node))
      findings.add(kRule, view, node,
                   is_constant
                       ? cat("the constant ", quoted_name(view, operand),
                             " is stored as floats and rounded at run time")
                       : cat(quoted_name(view, operand),
                             " depends only on constants, but is computed and rounded at run "
                             "time"));
    else if (is_dequantise(node) && !is_constant) {
      const Node* before = view.producer(operand);
      if (before == nullptr || is_quantise(*before)) continue;  // already reported there
      findings.add(kRule, view, node,
                   cat("the integers ", quoted_name(view, operand),
                       " depend only on constants, but are computed at run time"),
                   "run fold-constants");
    }
  }
}

void find_unlike_scales(const LintView& view, Findings& findings) {
  for (const Node& node : view.graph.nodes) {
    if (!joins(node)) continue;
    const Affine* first = nullptr;
    const Affine* other = nullptr;
    ir::for_each_input(node, [&](ValueId id) {
      const auto& params = view.affine[id];
      if (!params || params->scales.size() != 1 || view.is_known(id)) return;
      if (first == nullptr)
        first = &*params;
      else if (!(*params == *first) && other == nullptr)
        other = &*params;
    });
    if (other == nullptr) continue;
    findings.add("unlike-scales", view, node,
                 cat("operands of ", quoted(ir::op_base_name(node.op)), " have the scales ",
                     first->scales[0], " (zero point ", first->zero_points.at(0), ") and ",
                     other->scales[0], " (zero point ", other->zero_points.at(0), ")"));
  }
}

}  // namespace t2n::compress
