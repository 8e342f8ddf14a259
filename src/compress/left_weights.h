// Weights that stay floats although settings ask for smaller ones.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "src/compress/settings.h"

namespace t2n::compress {

struct LeftWeight {
  std::string name;
  std::string reader;  ///< address of the first reader
  int64_t bytes = 0;
  std::string why;  ///< "aten::einsum reads it, which is no layer"
};

/// Constants with at least two axes and 256 elements, with a reader for which settings ask for
/// smaller weights, that the compressed graph still has as they were; also those that other
/// operations in loops' bodies read. `stored`: the compressed graph, in which weights keep their
/// names.
std::vector<LeftWeight> left_weights(const ir::Graph& before, const ir::Graph& stored,
                                     const Settings& settings);

}  // namespace t2n::compress
