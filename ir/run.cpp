// Execution of a whole graph, one node after the other.
#include "ir/evaluator.h"
#include "ir/scan.h"

namespace t2n::ir {
namespace {

/// For each value the index of the last node that reads it, or -1; graph outputs outlive all nodes.
std::vector<int> last_uses(const Graph& graph) {
  std::vector<int> out(graph.values.size(), -1);
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    for_each_input(graph.nodes[i],
                   [&](ValueId id) { out.at(static_cast<size_t>(id)) = static_cast<int>(i); });
  for (const ValueId id : graph.outputs)
    out.at(static_cast<size_t>(id)) = static_cast<int>(graph.nodes.size());
  return out;
}

}  // namespace

std::vector<Tensor> run_graph(const Graph& graph, const std::vector<Tensor>& inputs,
                              const Evaluator& evaluate) {
  T2N_ASSERT(inputs.size() == graph.inputs.size(), inputs.size(), " inputs for a graph of ",
             graph.inputs.size());
  std::vector<Tensor> known(graph.values.size());
  const auto slot = [&](ValueId id) -> Tensor& { return known.at(static_cast<size_t>(id)); };
  for (size_t i = 0; i < inputs.size(); ++i) slot(graph.inputs[i]) = inputs[i];
  for (const Constant& constant : graph.constants) slot(constant.value) = constant.data;

  const std::vector<int> last = last_uses(graph);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    std::vector<Tensor> results =
        is_scan(node) ? run_scan(node, slot, evaluate) : evaluate(node, slot);
    T2N_ASSERT(results.size() == node.outputs.size(), node_address(graph, node), " gave ",
               results.size(), " results, not ", node.outputs.size());
    const auto free_after_last_use = [&](ValueId id) {
      if (last[static_cast<size_t>(id)] <= static_cast<int>(i)) slot(id) = Tensor{};
    };
    for (size_t k = 0; k < results.size(); ++k) slot(node.outputs[k]) = std::move(results[k]);
    for_each_input(node, free_after_last_use);
    for (const ValueId id : node.outputs) free_after_last_use(id);
  }
  std::vector<Tensor> out;
  for (const ValueId id : graph.outputs) out.push_back(slot(id));
  return out;
}

}  // namespace t2n::ir
