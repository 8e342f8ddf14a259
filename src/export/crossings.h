// Factors for a model's inputs at which computed values cross the numbers that the model compares
// them with.
#pragma once

#include <vector>

#include "ir/evaluator.h"

namespace t2n {

/// For a graph without open sizes. Values that a factor from a hundredth to a hundred of either
/// sign carries across are not among them: a check has these anyway. At most three.
std::vector<double> crossing_factors(const ir::Graph& graph, const std::vector<ir::Tensor>& inputs,
                                     const ir::Evaluator& evaluate);

}  // namespace t2n
