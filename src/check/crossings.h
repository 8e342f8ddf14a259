// SPDX-License-Identifier: Apache-2.0
// Finds factors for a model's inputs with which computed values cross the numbers that the model
// compares them with.
#pragma once

#include <vector>

#include "ir/evaluator.h"

namespace t2n {

/// For a graph without dynamic sizes. Omits crossings that factors from a hundredth to a hundred of
/// either sign cause, since a check tries these anyway. At most three factors.
std::vector<double> crossing_factors(const ir::Graph& graph, const std::vector<ir::Tensor>& inputs,
                                     const ir::Evaluator& evaluate);

}  // namespace t2n
