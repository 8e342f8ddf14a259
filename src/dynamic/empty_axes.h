// Axes that may have no entries although nobody said so: those of caches, which are empty at first.
#pragma once

#include <vector>

#include "ir/comparison.h"
#include "ir/graph.h"

namespace t2n::dynamic {

/// "P >= 0" for each symbol that is the size of inputs which are only joined with other tensors
/// along that axis, in front of them or behind. `inputs` are the shapes of the graph's inputs.
std::vector<ir::Comparison> sizes_of_caches(const ir::Graph& graph,
                                            const std::vector<ir::Shape>& inputs);

}  // namespace t2n::dynamic
