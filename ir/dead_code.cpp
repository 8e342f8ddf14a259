// SPDX-License-Identifier: Apache-2.0
#include "ir/dead_code.h"

#include <algorithm>

#include "ir/scan.h"

namespace t2n::ir {
namespace {

/// Drops values that are not `kept` and renumbers the others.
void renumber(Graph& graph, const std::vector<bool>& kept) {
  std::vector<ValueId> number(graph.values.size(), kNoValue);
  std::vector<Value> values;
  for (size_t i = 0; i < kept.size(); ++i) {
    if (!kept[i]) continue;
    number[i] = static_cast<ValueId>(values.size());
    values.push_back(std::move(graph.values[i]));
  }
  graph.values = std::move(values);
  for (ValueId& id : graph.inputs) id = number.at(id);
  for (Constant& constant : graph.constants) constant.value = number.at(constant.value);
  for (Node& node : graph.nodes)
    for (ValueId& id : node.outputs) id = number.at(id);
  replace_uses(graph, number);
}

/// Removes unused states, inputs and outputs of scans. Returns true if anything changed.
bool prune_scans(Graph& graph) {
  if (std::none_of(graph.nodes.begin(), graph.nodes.end(), is_scan)) return false;
  bool changed = false;
  std::vector<bool> needed(graph.values.size());
  for (const ValueId id : graph.outputs) needed.at(id) = true;
  for (size_t i = graph.nodes.size(); i-- > 0;) {
    Node& node = graph.nodes[i];
    std::vector<bool> used;
    for (const ValueId id : node.outputs) used.push_back(needed.at(id));
    if (std::find(used.begin(), used.end(), true) == used.end()) continue;
    if (is_scan(node)) changed |= prune_scan(node, used);
    for_each_input(node, [&](ValueId id) { needed.at(id) = true; });
  }
  return changed;
}

}  // namespace

void for_each_size(const Attr& attr, const std::function<void(const Symbol&)>& visit) {
  for (const Dim& dim : dims(attr))
    for (const Symbol& symbol : dim.symbols())
      if (symbol.unbacked() != nullptr || symbol.axis_size() != nullptr) visit(symbol);
}

std::map<Symbol, ValueId> defining_values(const Graph& graph) {
  std::map<Symbol, ValueId> out;
  std::map<std::string_view, ValueId> named;
  const auto by_name = [&](const Symbol& symbol) {
    if (symbol.axis_size() == nullptr) return;
    if (named.empty())
      for (size_t i = 0; i < graph.values.size(); ++i)
        named.emplace(graph.values[i].name, static_cast<ValueId>(i));
    const auto found = named.find(symbol.axis_size()->value);
    if (found != named.end()) out.try_emplace(symbol, found->second);
  };
  for (const Node& node : graph.nodes)
    for (const Argument& arg : node.args) for_each_size(arg.value, by_name);
  for (const Node& node : graph.nodes)
    for (const ValueId id : node.outputs)
      for (const Dim& size : graph.values[id].shape)
        if (const Symbol* symbol = size.as_symbol();
            symbol != nullptr && symbol->unbacked() != nullptr)
          out.try_emplace(*symbol, id);
  return out;
}

std::vector<bool> live_nodes(const Graph& graph, std::vector<bool>& needed) {
  std::vector<bool> live(graph.nodes.size());
  const std::map<Symbol, ValueId> unbacked_sizes = defining_values(graph);
  const auto need_unbacked_size = [&](const Symbol& symbol) {
    if (const auto found = unbacked_sizes.find(symbol); found != unbacked_sizes.end())
      needed.at(found->second) = true;
  };
  for (const Comparison& assertion : runtime_assertions(graph))
    for (const Dim& side : {assertion.left, assertion.right})
      for_each_size(Attr(side), need_unbacked_size);
  for (size_t i = graph.nodes.size(); i-- > 0;) {
    const Node& node = graph.nodes[i];
    live[i] = std::any_of(node.outputs.begin(), node.outputs.end(),
                          [&](ValueId id) { return needed.at(id); });
    if (!live[i]) continue;
    for_each_input(node, [&](ValueId id) { needed.at(id) = true; });
    if (!unbacked_sizes.empty())
      for (const Argument& arg : node.args) for_each_size(arg.value, need_unbacked_size);
  }
  return live;
}

bool remove_dead(Graph& graph, bool keeps_nodes) {
  const bool pruned = !keeps_nodes && prune_scans(graph);
  std::vector<bool> kept(graph.values.size());
  if (keeps_nodes)
    for (const Node& node : graph.nodes)
      for (const ValueId id : node.outputs) kept.at(id) = true;
  for (const ValueId id : graph.outputs) kept.at(id) = true;
  const std::vector<bool> live = live_nodes(graph, kept);

  size_t next = 0;
  std::erase_if(graph.nodes, [&](const Node&) { return !live[next++]; });
  std::erase_if(graph.constants, [&](const Constant& c) { return !kept.at(c.value); });
  // A node that stays defines all of its outputs, and inputs belong to the signature.
  for (const Node& node : graph.nodes)
    for (const ValueId id : node.outputs) kept[id] = true;
  for (const ValueId id : graph.inputs) kept.at(id) = true;
  if (std::find(kept.begin(), kept.end(), false) == kept.end()) return pruned;
  renumber(graph, kept);
  return true;
}

void replace_uses(Graph& graph, const std::vector<ValueId>& replacement) {
  const auto replace = [&](ValueId& id) { id = replacement.at(id); };
  for (Node& node : graph.nodes)
    for (Argument& arg : node.args) change_refs(arg.value, replace);
  for (ValueId& id : graph.outputs) replace(id);
}

}  // namespace t2n::ir
