// SPDX-License-Identifier: Apache-2.0
// Cleans a graph up once its outputs are known.
#include "src/loops/finish.h"

#include <algorithm>
#include <functional>
#include <string_view>

#include "ir/dead_code.h"
#include "src/loops/iteration.h"

namespace t2n::loops {
namespace {

void clean_bodies(ir::Graph& graph) {
  for (ir::Node& node : graph.nodes) {
    if (!node.body) continue;
    clean_bodies(*node.body);
    ir::remove_dead(*node.body);
  }
}

void for_each_node(const ir::Graph& graph, const std::function<void(const ir::Node&)>& visit) {
  for (const ir::Node& node : graph.nodes) {
    visit(node);
    if (node.body) for_each_node(*node.body, visit);
  }
}

/// The values whose sizes appear in an argument or in `symbols_used`.
std::vector<ir::ValueId> sized_values(const ir::Graph& graph, std::set<ir::Symbol> symbols_used) {
  for_each_node(graph, [&](const ir::Node& node) {
    for (const ir::Argument& arg : node.args)
      for (const ir::Dim& dim : ir::dims(arg.value))
        for (const ir::Symbol& symbol : dim.symbols()) symbols_used.insert(symbol);
  });
  std::vector<ir::ValueId> out;
  const std::vector<int> producers = ir::producers(graph);
  for (size_t i = 0; i < graph.values.size(); ++i)
    for (size_t axis = 0; axis < graph.values[i].shape.size(); ++axis)
      if (producers[i] >= 0 && symbols_used.contains(ir::Symbol::AxisSize{
                                   graph.values[i].name, static_cast<int64_t>(axis)}))
        out.push_back(static_cast<ir::ValueId>(i));
  return out;
}

/// Refuses arguments that use the size of a value which nothing computes any more.
void refuse_lost_sizes(const ir::Graph& graph) {
  std::vector<bool> defined(graph.values.size());
  const auto define = [&](ir::ValueId id) { defined[id] = true; };
  for (const ir::ValueId id : graph.inputs) define(id);
  for (const ir::Constant& constant : graph.constants) define(constant.value);
  for (const ir::Node& node : graph.nodes)
    for (const ir::ValueId id : node.outputs) define(id);
  std::set<std::string_view> lost;
  for (size_t i = 0; i < defined.size(); ++i)
    if (!defined[i]) lost.insert(graph.values[i].name);
  if (lost.empty()) return;
  const auto is_lost = [&](const ir::Symbol& symbol) {
    return symbol.axis_size() != nullptr && lost.contains(symbol.axis_size()->value);
  };
  for (const ir::Node& node : graph.nodes)
    for (const ir::Argument& arg : node.args)
      for (const ir::Dim& dim : ir::dims(arg.value)) {
        const std::vector<ir::Symbol> symbols = dim.symbols();
        if (std::any_of(symbols.begin(), symbols.end(), is_lost))
          refuse_loop(graph, node, "the size of a result of one iteration is used after the loop",
                      "use the size of a tensor that remains after the loop");
      }
}

}  // namespace

void finish_loops(ir::Graph& graph, const std::set<ir::Symbol>& queried) {
  const size_t outputs = graph.outputs.size();
  for (const ir::ValueId id : sized_values(graph, queried)) graph.outputs.push_back(id);
  ir::remove_dead(graph);
  graph.outputs.resize(outputs);
  clean_bodies(graph);
  for (const ir::Node& node : graph.nodes)
    if (mentions_iteration(node))
      refuse_loop(graph, node, "a number that depends on the iteration is used after the loop",
                  "return tensors from the loop instead");
  refuse_lost_sizes(graph);
}

}  // namespace t2n::loops
