// What a graph is cleaned of once its outputs are known.
#pragma once

#include <set>

#include "ir/graph.h"

namespace t2n::loops {

/// Removes what rolling has left behind, but for values whose sizes arguments or `asked` speak of.
/// Errors: `dynamic-loop`.
void finish_loops(ir::Graph& graph, const std::set<ir::Symbol>& asked);

}  // namespace t2n::loops
