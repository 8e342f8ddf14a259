// SPDX-License-Identifier: Apache-2.0
// Finds operations dependent on a result in which a small error becomes a step.
#include "src/translate/rounded_later.h"

#include <algorithm>
#include <set>

#include "ir/op_traits.h"
#include "src/translate/emitter_state.h"
#include "src/translate/op_view.h"

namespace t2n::ops {

using ir::OpTrait;

namespace {

/// Whether a result that is read is a step function of an operand.
bool rounds(const ir::Graph& graph, const ir::Node& node, const std::vector<int>& uses) {
  const std::string_view name = ir::op_short_name(node.op);
  if (ir::has_trait(name, OpTrait::steps) || name.find("fake_quant") != std::string_view::npos ||
      ir::op_name(node.op).ends_with("_mode"))
    return true;
  const auto gives_integers = [&](ir::ValueId id) {
    const size_t index = id;
    return uses[index] > 0 && !ir::is_float(graph.values[index].dtype);
  };
  if (std::any_of(node.outputs.begin(), node.outputs.end(), gives_integers)) return true;
  if (!node.body) return false;
  const std::vector<int> inner = ir::use_counts(*node.body);
  return std::any_of(node.body->nodes.begin(), node.body->nodes.end(),
                     [&](const ir::Node& each) { return rounds(*node.body, each, inner); });
}

/// Whether the last bits of the results differ between engines anyway. Those of plain sums do not
/// if the quotients are integers.
bool mixes(const ir::Node& node) {
  const std::string_view name = ir::op_short_name(node.op);
  return ir::has_trait(name, OpTrait::mixes) || ir::has_trait(name, OpTrait::recurrent);
}

}  // namespace

bool is_rounded_after(const Emitter::State& state, const ir::Graph& graph, const ir::Node& first) {
  const std::vector<int>& uses = state.use_counts;
  std::set<ir::ValueId> dependent = {first.outputs.at(0)};
  int unvisited_uses = uses[first.outputs[0]];
  const ir::Node* end = graph.nodes.data() + graph.nodes.size();
  for (const ir::Node* node = &first + 1; unvisited_uses > 0 && node < end; ++node) {
    int reads = 0;
    ir::for_each_input(*node, [&](ir::ValueId id) { reads += dependent.contains(id) ? 1 : 0; });
    if (reads == 0) continue;
    if (rounds(graph, *node, uses)) return true;
    unvisited_uses -= reads;
    if (mixes(*node)) continue;
    for (const ir::ValueId id : node->outputs)
      if (dependent.insert(id).second) unvisited_uses += uses[id];
  }
  // A result of a loop's body is read by the next iteration, or after the loop.
  return unvisited_uses > 0 && state.is_body;
}

bool is_rounded_later(const Emitter::State& state) {
  const ir::Node* node = state.node;
  return node == nullptr || rounds(state.graph, *node, state.use_counts) ||
         is_rounded_after(state, state.graph, *node);
}

bool OpView::is_rounded_later() const {
  return is_rounded_after(out_.state(), args_.graph(), args_.node());
}

}  // namespace t2n::ops
