// Follows a result to the operations where a small error becomes a step.
#include <algorithm>
#include <array>
#include <set>

#include "ir/op_traits.h"
#include "src/diag/one_of.h"
#include "src/translate/emitter_state.h"
#include "src/translate/op_view.h"

namespace t2n::ops {
namespace {

/// Whether a result is a step function of the operands.
bool rounds(const ir::Graph& graph, const ir::Node& node) {
  constexpr std::array<std::string_view, 10> kNames = {
      "ceil", "fix", "floor", "floor_divide", "fmod", "frac", "remainder", "round", "sign", "trunc"};
  const auto gives_integers = [&](ir::ValueId id) {
    return !ir::is_float(graph.values[static_cast<size_t>(id)].dtype);
  };
  return is_one_of(ir::op_short_name(node.op), kNames) ||
         ir::op_name(node.op).ends_with("_mode") ||
         std::any_of(node.outputs.begin(), node.outputs.end(), gives_integers);
}

/// Whether a step function of an operand is one of the result as well.
bool keeps_steps(std::string_view name) {
  constexpr std::array<std::string_view, 19> kNames = {
      "abs",      "add",     "clamp",   "clamp_max", "clamp_min", "div",  "exp2",
      "hardtanh", "log",     "log2",    "maximum",   "minimum",   "mul",  "neg",
      "relu",     "rsub",    "sqrt",    "sub",       "where"};
  return is_one_of(name, kNames) || ir::has_trait(name, ir::OpTrait::moves_elements);
}

}  // namespace

bool OpView::is_rounded_later() const {
  const std::vector<int>& uses = out_.state().use_counts;
  std::set<ir::ValueId> followed = {node_.outputs.at(0)};
  int unseen = uses[static_cast<size_t>(node_.outputs[0])];
  const ir::Node* end = graph_.nodes.data() + graph_.nodes.size();
  for (const ir::Node* node = &node_ + 1; unseen > 0 && node < end; ++node) {
    int reads = 0;
    ir::for_each_input(*node, [&](ir::ValueId id) { reads += followed.contains(id) ? 1 : 0; });
    if (reads == 0) continue;
    if (rounds(graph_, *node)) return true;
    unseen -= reads;
    if (!keeps_steps(ir::op_short_name(node->op))) continue;
    for (const ir::ValueId id : node->outputs)
      if (followed.insert(id).second) unseen += uses[static_cast<size_t>(id)];
  }
  return false;
}

}  // namespace t2n::ops
