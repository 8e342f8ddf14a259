// Axes that may have no entries although nobody said so: those of caches, which are empty at first.
#pragma once

#include <vector>

#include "ir/comparison.h"
#include "ir/graph.h"

namespace t2n::dynamic {

/// "P >= 0" for each symbol that is the size of inputs which are only joined with other tensors
/// along that axis, in front of them or behind, unless `asserted` says something of it alone.
/// `inputs` are the shapes of the graph's inputs.
std::vector<ir::Comparison> sizes_of_caches(const ir::Graph& graph,
                                            const std::vector<ir::Shape>& inputs,
                                            const std::vector<ir::Comparison>& asserted);

}  // namespace t2n::dynamic
