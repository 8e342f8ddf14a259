// SPDX-License-Identifier: Apache-2.0
// Weights that stay in floats although settings request smaller ones.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "src/compress/settings/settings.h"

namespace t2n::compress {

struct UnquantisedWeight {
  std::string name;
  std::string reader;  ///< address of the first reader
  int64_t bytes = 0;
  std::string why;  ///< "aten::einsum reads it and is not a layer"
};

/// Constants with at least two axes that the compressed graph stores unchanged although settings of
/// a reader request smaller weights: weights of layers, and other constants of at least 256
/// elements, in loop bodies as well. `stored`: the compressed graph, in which weights keep their
/// names.
std::vector<UnquantisedWeight> unquantised_weights(const ir::Graph& before, const ir::Graph& stored,
                                                   const Settings& settings);

/// Modules of layers for which settings request quantised activations and which have none that can
/// be quantised: recurrent layers compute with internal states, others in 16- or 64-bit floats.
std::vector<std::string> activations_in_floats(const ir::Graph& before, const Settings& settings);

}  // namespace t2n::compress
