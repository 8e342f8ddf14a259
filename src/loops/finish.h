// Cleans a graph up once its outputs are known.
#pragma once

#include <set>

#include "ir/graph.h"

namespace t2n::loops {

/// Removes what rolling left behind, except values whose sizes appear in arguments or in `asked`.
/// Errors: `dynamic-loop`.
void finish_loops(ir::Graph& graph, const std::set<ir::Symbol>& asked);

}  // namespace t2n::loops
