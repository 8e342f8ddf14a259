// Liveness, renumbering, and names that are still free.
#include "src/passes/rewrite.h"

#include <algorithm>

namespace t2n::passes {
namespace {

using ir::Graph;
using ir::Node;
using ir::ValueId;

/// For each node whether an output of the graph depends on it.
std::vector<bool> live_nodes(const Graph& graph, std::vector<bool>& needed) {
  std::vector<bool> live(graph.nodes.size());
  for (size_t i = graph.nodes.size(); i-- > 0;) {
    const Node& node = graph.nodes[i];
    live[i] = std::any_of(node.outputs.begin(), node.outputs.end(),
                          [&](ValueId id) { return needed.at(static_cast<size_t>(id)); });
    if (live[i])
      ir::for_each_input(node, [&](ValueId id) { needed.at(static_cast<size_t>(id)) = true; });
  }
  return live;
}

/// Drops values that are not `kept` and gives the others new numbers.
void renumber(Graph& graph, const std::vector<bool>& kept) {
  std::vector<ValueId> number(graph.values.size(), ir::kNoValue);
  std::vector<ir::Value> values;
  for (size_t i = 0; i < kept.size(); ++i) {
    if (!kept[i]) continue;
    number[i] = static_cast<ValueId>(values.size());
    values.push_back(std::move(graph.values[i]));
  }
  graph.values = std::move(values);
  for (ValueId& id : graph.inputs) id = number.at(static_cast<size_t>(id));
  for (ir::Constant& constant : graph.constants)
    constant.value = number.at(static_cast<size_t>(constant.value));
  for (Node& node : graph.nodes)
    for (ValueId& id : node.outputs) id = number.at(static_cast<size_t>(id));
  replace_uses(graph, number);
}

}  // namespace

bool remove_dead(Graph& graph) {
  std::vector<bool> kept(graph.values.size());
  for (const ValueId id : graph.outputs) kept.at(static_cast<size_t>(id)) = true;
  const std::vector<bool> live = live_nodes(graph, kept);

  size_t next = 0;
  std::erase_if(graph.nodes, [&](const Node&) { return !live[next++]; });
  std::erase_if(graph.constants,
                [&](const ir::Constant& c) { return !kept.at(static_cast<size_t>(c.value)); });
  // What lives on defines all of its outputs, and inputs belong to the signature.
  for (const Node& node : graph.nodes)
    for (const ValueId id : node.outputs) kept[static_cast<size_t>(id)] = true;
  for (const ValueId id : graph.inputs) kept.at(static_cast<size_t>(id)) = true;
  if (std::find(kept.begin(), kept.end(), false) == kept.end()) return false;
  renumber(graph, kept);
  return true;
}

void replace_uses(Graph& graph, const std::vector<ValueId>& replacement) {
  const auto replace = [&](ValueId& id) { id = replacement.at(static_cast<size_t>(id)); };
  for (Node& node : graph.nodes)
    for (ir::Argument& arg : node.args) ir::change_refs(arg.value, replace);
  for (ValueId& id : graph.outputs) replace(id);
}

FreshNames::FreshNames(const Graph& graph) {
  for (const ir::Value& value : graph.values) taken_.insert(value.name);
}

std::string FreshNames::take(const std::string& wanted) {
  if (taken_.insert(wanted).second) return wanted;
  int& number = last_number_.try_emplace(wanted, 1).first->second;
  std::string name;
  do name = cat(wanted, "_", ++number);
  while (!taken_.insert(name).second);
  return name;
}

FreshCalls::FreshCalls(const Graph& graph) {
  for (const Node& node : graph.nodes) {
    int& next = next_[{node.scope, ir::op_word(ir::op_name(node.op))}];
    next = std::max(next, node.call + 1);
  }
}

int FreshCalls::take(ir::OpId op, ir::ScopeId scope) {
  return next_[{scope, ir::op_word(ir::op_name(op))}]++;
}

}  // namespace t2n::passes
