// SPDX-License-Identifier: Apache-2.0
#include "src/dynamic/empty_axes.h"

#include <algorithm>
#include <set>

namespace t2n::dynamic {
namespace {

using ir::Dim;
using ir::Node;
using ir::Symbol;
using ir::ValueId;

struct Joined {
  std::vector<ValueId> parts;
  size_t axis = 0;
};

/// The operands of a concatenation; nothing for any other operation.
std::optional<Joined> joined_by(const Node& node, const ir::Graph& graph) {
  if (ir::op_short_name(node.op) != "cat") return {};
  const auto* parts = std::get_if<ir::TensorRefs>(node.find("tensors"));
  const auto* axis = std::get_if<Dim>(node.find("dim"));
  if (parts == nullptr || axis == nullptr || !axis->is_constant() || node.outputs.empty())
    return {};
  const auto rank = graph.values[node.outputs[0]].shape.size();
  const int64_t index = axis->value();
  return Joined{parts->ids,
                static_cast<size_t>(index < 0 ? index + static_cast<int64_t>(rank) : index)};
}

/// True if every reader of `input` concatenates it with tensors that are not inputs.
bool is_only_joined(const ir::Graph& graph, ValueId input, size_t axis,
                    const std::set<ValueId>& inputs) {
  bool is_read = false;
  for (const Node& node : graph.nodes) {
    bool reads = false;
    ir::for_each_input(node, [&](ValueId id) { reads = reads || id == input; });
    if (!reads) continue;
    is_read = true;
    const std::optional<Joined> joined = joined_by(node, graph);
    const auto is_new = [&](ValueId id) { return !inputs.contains(id); };
    if (!joined || joined->axis != axis ||
        std::none_of(joined->parts.begin(), joined->parts.end(), is_new))
      return false;
  }
  return is_read;
}

}  // namespace

std::vector<ir::Comparison> sizes_of_caches(const ir::Graph& graph,
                                            const std::vector<ir::Shape>& inputs,
                                            const std::vector<ir::Comparison>& asserted) {
  const std::set<ValueId> ids(graph.inputs.begin(), graph.inputs.end());
  std::set<Symbol> sizes, others;
  for (size_t i = 0; i < inputs.size(); ++i)
    for (size_t axis = 0; axis < inputs[i].size(); ++axis) {
      const std::vector<Symbol> symbols = inputs[i][axis].symbols();
      const bool is_bare = symbols.size() == 1 && inputs[i][axis] == Dim::symbol(symbols[0]);
      const bool is_cache = is_bare && is_only_joined(graph, graph.inputs[i], axis, ids);
      (is_cache ? sizes : others).insert(symbols.begin(), symbols.end());
    }
  for (const ir::Comparison& each : asserted)
    if (const auto alone = (each.left - each.right).symbols(); alone.size() == 1)
      others.insert(alone[0]);
  std::vector<ir::Comparison> out;
  for (const Symbol& symbol : sizes)
    if (!others.contains(symbol)) out.push_back({Dim::symbol(symbol), ir::Relation::ge, 0});
  return out;
}

}  // namespace t2n::dynamic
