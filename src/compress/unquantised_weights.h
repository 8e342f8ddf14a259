// Weights that stay floats although settings ask for smaller ones.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "src/compress/settings.h"

namespace t2n::compress {

struct UnquantisedWeight {
  std::string name;
  std::string reader;  ///< address of the first reader
  int64_t bytes = 0;
  std::string why;  ///< "aten::einsum reads it, which is no layer"
};

/// Constants of at least two axes which an operation reads that settings want smaller weights of,
/// and that the compressed graph has as they were: weights of layers, and what others read from 256
/// elements on; those that operations of loops' bodies read, too. `stored`: the compressed graph,
/// in which weights keep their names.
std::vector<UnquantisedWeight> unquantised_weights(const ir::Graph& before, const ir::Graph& stored,
                                                   const Settings& settings);

/// Modules of layers of which settings ask for rounded activations, and that have none that could
/// be: recurrent ones compute with states of their own, others with floats of 16 or 64 bits.
std::vector<std::string> activations_in_floats(const ir::Graph& before, const Settings& settings);

}  // namespace t2n::compress
