// Rules about neighbouring operations.
#include <algorithm>
#include <array>

#include "src/compress/lint_view.h"
#include "src/diag/error.h"

namespace t2n::compress {
namespace {

using ir::Node;
using ir::ValueId;

/// Whether all readers of the integers dequantise them.
bool is_only_dequantised(const LintView& view, ValueId integers) {
  const auto at = static_cast<size_t>(integers);
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

void find_idle_pairs(const LintView& view, Findings& findings) {
  constexpr std::string_view kRule = "idle-pair";
  for (const Node& node : view.graph.nodes) {
    if (!is_quantise(node)) continue;
    const ValueId real = ir::operand(node, "self");
    const ValueId integers = node.outputs.at(0);
    if (real == ir::kNoValue || view.is_known(real)) continue;
    const Node* before = view.producer(real);
    if (before != nullptr && is_dequantise(*before)) {
      const ValueId first = ir::operand(*before, "self");
      const bool is_same = first != ir::kNoValue &&
                           view.value(first).quant == view.value(integers).quant &&
                           view.value(first).dtype == view.value(integers).dtype;
      findings.add(
          kRule, view, node,
          cat(quoted_name(view, real), " is dequantised and quantised again, with ",
              is_same ? "the same parameters" : "other parameters", " and nothing between"),
          is_same ? "run propagate-qparams" : "give both one scale");
    } else if (is_only_dequantised(view, integers)) {
      findings.add(
          kRule, view, node,
          cat(quoted_name(view, real), " is quantised and dequantised with nothing between"));
    }
  }
}

void find_float_constants(const LintView& view, Findings& findings) {
  constexpr std::string_view kRule = "float-constant";
  for (const Node& node : view.graph.nodes) {
    const ValueId given = ir::operand(node, "self");
    if (given == ir::kNoValue || !view.is_known(given)) continue;
    const bool is_constant = view.constants[static_cast<size_t>(given)] >= 0;
    if (is_fake_quant(node) || is_quantise(node))
      findings.add(kRule, view, node,
                   is_constant ? cat("the constant ", quoted_name(view, given),
                                     " is stored as floats, and rounded at run time")
                               : cat(quoted_name(view, given),
                                     " follows from constants, and is computed and rounded at run "
                                     "time"));
    else if (is_dequantise(node) && !is_constant) {
      const Node* before = view.producer(given);
      if (before == nullptr || is_quantise(*before)) continue;  // already reported there
      findings.add(kRule, view, node,
                   cat("the integers ", quoted_name(view, given),
                       " follow from constants, and are computed at run time"),
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
      const auto& steps = view.affine[static_cast<size_t>(id)];
      if (!steps || steps->scales.size() != 1 || view.is_known(id)) return;
      if (first == nullptr)
        first = &*steps;
      else if (!(*steps == *first) && other == nullptr)
        other = &*steps;
    });
    if (other == nullptr) continue;
    findings.add("unlike-scales", view, node,
                 cat("what ", quoted(ir::op_base_name(node.op)), " joins has steps of ",
                     first->scales[0], " (zero at ", first->zero_points.at(0), ") and of ",
                     other->scales[0], " (zero at ", other->zero_points.at(0), ")"));
  }
}

}  // namespace t2n::compress
