// Axes that may be empty although the user did not say so: those of caches, which start empty.
#pragma once

#include <vector>

#include "ir/comparison.h"
#include "ir/graph.h"

namespace t2n::dynamic {

/// "P >= 0" for each symbol that is the size of inputs which are only joined with other tensors
/// along that axis, before or behind them, unless `asserted` mentions the symbol alone. `inputs`:
/// the shapes of the graph's inputs.
std::vector<ir::Comparison> sizes_of_caches(const ir::Graph& graph,
                                            const std::vector<ir::Shape>& inputs,
                                            const std::vector<ir::Comparison>& asserted);

}  // namespace t2n::dynamic
