// What quantisers make of constants, however they are written: they are computed, and what they
// give is looked at.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "ir/evaluator.h"
#include "src/passes/integers.h"

namespace t2n::passes {

/// What may be written in the place of formulas.
struct Findings {
  std::unordered_map<ir::ValueId, Integers> integers;
  std::unordered_map<ir::ValueId, std::string> names;  ///< of the weights that they come from
  std::unordered_map<ir::ValueId, ir::Tensor> beside;  ///< small ones: scales, zero points, biases
  std::vector<std::string> floats;  ///< weights that were rounded to something else
  int activations = 0;              ///< roundings that wait for the inputs
};

/// Computes every quantiser of a graph that waits for no input.
Findings find_quantisers(const ir::Graph& graph, const ir::Evaluator& evaluate);

}  // namespace t2n::passes
