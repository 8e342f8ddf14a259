// Executes single operations on known tensors; implemented over LibTorch in src/eval.
// No torch here.
#pragma once

#include <functional>
#include <vector>

#include "ir/graph.h"

namespace t2n::ir {

/// Runs one node. `operand(id)` gives the value of each tensor argument. Results follow
/// node.outputs. Results may alias operands (a transposed view costs nothing). Errors:
/// `forward-failed` if torch refuses; symbolic arguments are internal errors.
using Operand = std::function<Tensor(ValueId)>;
using Evaluator = std::function<std::vector<Tensor>(const Node& node, const Operand& operand)>;

/// Runs a whole graph on inputs in order; frees values after their last use. `born_outside`: of a
/// loop's body, what followed from values before the loop.
std::vector<Tensor> run_graph(const Graph& graph, const std::vector<Tensor>& inputs,
                              const Evaluator& evaluate, const Sizes& born_outside = {});

}  // namespace t2n::ir
