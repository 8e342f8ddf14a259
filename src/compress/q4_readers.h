// SPDX-License-Identifier: Apache-2.0
// Finds the readers of a weight, and whether all of them can read it packed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace t2n::compress {

/// A node that multiplies by the weight's rows, or reads single rows.
struct Q4Reader {
  enum class Role {
    weight,   ///< a linear layer, a convolution, an embedding: its argument `weight`
    product,  ///< a matrix product of `input` and the weight, equivalent to a linear layer
    sum,      ///< the same with a bias: addmm
  };
  size_t node = 0;
  Role role = Role::weight;
  ir::ValueId input = ir::kNoValue;  ///< for product and sum
  ir::ValueId bias = ir::kNoValue;   ///< for sum
};

struct Q4Readers {
  std::vector<Q4Reader> all;   ///< in the graph's order
  bool is_transposed = false;  ///< the constant has columns where readers need rows
  std::string problem;         ///< why it cannot be packed, or ""
};

/// The readers of a float constant.
Q4Readers find_readers(const ir::Graph& graph, ir::ValueId constant);

}  // namespace t2n::compress
