// SPDX-License-Identifier: Apache-2.0
// Axes that may be empty although the user did not declare it: those of caches, which start empty.
#pragma once

#include <vector>

#include "ir/comparison.h"
#include "ir/graph.h"

namespace t2n::dynamic {

/// "P >= 0" for each symbol that is only the size of inputs which the graph concatenates with other
/// tensors along that axis, unless `asserted` bounds the symbol. `inputs`: the shapes of the
/// graph's inputs.
std::vector<ir::Comparison> sizes_of_caches(const ir::Graph& graph,
                                            const std::vector<ir::Shape>& inputs,
                                            const std::vector<ir::Comparison>& asserted);

}  // namespace t2n::dynamic
