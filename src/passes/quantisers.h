// SPDX-License-Identifier: Apache-2.0
// Finds quantisers of constants in any notation, by evaluating them and examining their results.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "ir/evaluator.h"
#include "ir/op_table.h"
#include "src/passes/integers.h"

namespace t2n::passes {

/// Replacements for formulas.
struct Findings {
  std::unordered_map<ir::ValueId, Integers> integers;
  std::unordered_map<ir::ValueId, std::string>
      names;  ///< of the weights that they are computed from
  std::unordered_map<ir::ValueId, ir::Tensor>
      auxiliary;                    ///< small ones: scales, zero points, biases
  std::vector<std::string> floats;  ///< weights that were rounded to other values than integers
  int activations = 0;              ///< roundings that depend on the inputs
};

/// Computes every quantiser of a graph that does not depend on an input.
Findings find_quantisers(const ir::Graph& graph, const ir::Evaluator& evaluate,
                         const ir::OpTable& operators);

}  // namespace t2n::passes
