// Who reads a weight, and whether all of them could read it packed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace t2n::compress {

/// A node that multiplies with rows of the weight, or takes them.
struct Q4Reader {
  enum class Role {
    weight,   ///< a linear layer, a convolution, an embedding: its argument `weight`
    product,  ///< a product that is a linear layer: of `input` and the weight
    sum,      ///< the same with a bias: addmm
  };
  size_t node = 0;
  Role role = Role::weight;
  ir::ValueId input = ir::kNoValue;  ///< of a product or sum
  ir::ValueId bias = ir::kNoValue;   ///< of a sum
};

struct Q4Readers {
  std::vector<Q4Reader> all;   ///< in the order of the graph
  bool is_transposed = false;  ///< the constant holds columns where readers want rows
  std::string problem;         ///< why it cannot be packed, or ""
};

/// Of the equation of an einsum that is a linear layer: whether the second operand holds columns
/// where a linear layer's weight holds rows. Nothing for others.
std::optional<bool> is_transposed_einsum(std::string equation);

/// Of a constant of floats.
Q4Readers find_readers(const ir::Graph& graph, ir::ValueId constant);

}  // namespace t2n::compress
