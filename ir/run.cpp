// SPDX-License-Identifier: Apache-2.0
// Executes a whole graph, node by node.
#include <algorithm>

#include "ir/evaluator.h"
#include "ir/scan.h"
#include "src/diag/error.h"

namespace t2n::ir {
namespace {

/// For each value the index of the last node that reads it, or -1; graph outputs stay alive.
std::vector<int> last_uses(const Graph& graph) {
  std::vector<int> out(graph.values.size(), -1);
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    for_each_input(graph.nodes[i], [&](ValueId id) { out.at(id) = static_cast<int>(i); });
  for (const ValueId id : graph.outputs) out.at(id) = static_cast<int>(graph.nodes.size());
  return out;
}

/// Data-dependent sizes, collected during the run: their definitions run before their uses.
class UnbackedSizeMap {
 public:
  UnbackedSizeMap(const Graph& graph, Sizes known) : graph_(graph), sizes_(std::move(known)) {}
  const Sizes& sizes() const { return sizes_; }

  /// The node with these sizes as numbers in its arguments; null if it has none.
  const Node* bound(const Node& node) {
    if (sizes_.empty() || std::none_of(node.args.begin(), node.args.end(), mentions_unbacked))
      return nullptr;
    node_ = node;
    for (Argument& arg : node_.args)
      for (Dim& dim : dims(arg.value)) dim = dim.substitute(sizes_);
    return &node_;
  }

  /// Errors: `forward-failed` if a runtime assertion of the graph does not hold.
  void check_runtime_assertions() const {
    for (const Comparison& assertion : runtime_assertions(graph_)) {
      const Dim left = assertion.left.substitute(sizes_),
                right = assertion.right.substitute(sizes_);
      if (left.is_constant() && right.is_constant() &&
          !holds(left.value(), assertion.relation, right.value()))
        throw Error("forward-failed", cat("runtime assertion failed: ", ir::str(assertion)));
    }
  }

  void record(ValueId id, const Tensor& tensor) {
    const Shape& shape = graph_.values[id].shape;
    for (size_t axis = 0; axis < shape.size() && axis < tensor.shape.size(); ++axis)
      if (const Symbol* symbol = shape[axis].as_symbol(); symbol != nullptr && symbol->unbacked())
        sizes_.try_emplace(*symbol, tensor.shape[axis]);
  }

 private:
  static bool mentions_unbacked(const Argument& arg) {
    const std::span<const Dim> sizes = dims(arg.value);
    return std::any_of(sizes.begin(), sizes.end(), [](const Dim& dim) { return is_unbacked(dim); });
  }

  const Graph& graph_;
  Sizes sizes_;
  Node node_;
};

}  // namespace

std::vector<Tensor> run_graph(const Graph& graph, const std::vector<Tensor>& inputs,
                              const Evaluator& evaluate, const Sizes& unbacked_outside) {
  T2N_ASSERT(inputs.size() == graph.inputs.size(), inputs.size(), " inputs for a graph of ",
             graph.inputs.size());
  std::vector<Tensor> known(graph.values.size());
  const auto slot = [&](ValueId id) -> Tensor& { return known.at(id); };
  for (size_t i = 0; i < inputs.size(); ++i) slot(graph.inputs[i]) = inputs[i];
  for (const Constant& constant : graph.constants) slot(constant.value) = constant.data;

  const std::vector<int> last = last_uses(graph);
  UnbackedSizeMap unbacked(graph, unbacked_outside);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node* const bound = unbacked.bound(graph.nodes[i]);
    const Node& node = bound == nullptr ? graph.nodes[i] : *bound;
    std::vector<Tensor> results =
        is_scan(node) ? run_scan(node, slot, evaluate, unbacked.sizes()) : evaluate(node, slot);
    T2N_ASSERT(results.size() == node.outputs.size(), node_address(graph, node), " gave ",
               results.size(), " results, not ", node.outputs.size());
    const auto free_after_last_use = [&](ValueId id) {
      if (last[id] <= static_cast<int>(i)) slot(id) = Tensor{};
    };
    for (size_t k = 0; k < results.size(); ++k) unbacked.record(node.outputs[k], results[k]);
    for (size_t k = 0; k < results.size(); ++k) slot(node.outputs[k]) = std::move(results[k]);
    for_each_input(node, free_after_last_use);
    for (const ValueId id : node.outputs) free_after_last_use(id);
  }
  unbacked.check_runtime_assertions();
  std::vector<Tensor> out;
  for (const ValueId id : graph.outputs) out.push_back(slot(id));
  return out;
}

}  // namespace t2n::ir
