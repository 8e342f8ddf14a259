// SPDX-License-Identifier: Apache-2.0
// Executes single operations on known tensors; src/eval implements it over LibTorch. No torch here.
#pragma once

#include <functional>
#include <vector>

#include "ir/graph.h"

namespace t2n::ir {

/// Runs one node. `operand(id)` gives the value of each tensor argument. Results have the order of
/// node.outputs and may alias operands (a transposed view costs nothing). Errors: `forward-failed`
/// if torch refuses; symbolic arguments are internal errors.
using Operand = std::function<Tensor(ValueId)>;
using Evaluator = std::function<std::vector<Tensor>(const Node& node, const Operand& operand)>;

/// Runs a whole graph on inputs in order; frees values after their last use. `unbacked_outside`:
/// for a loop's body, data-dependent sizes computed before the loop.
std::vector<Tensor> run_graph(const Graph& graph, const std::vector<Tensor>& inputs,
                              const Evaluator& evaluate, const Sizes& unbacked_outside = {});

}  // namespace t2n::ir
