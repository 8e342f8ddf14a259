// SPDX-License-Identifier: Apache-2.0
// Cleans a graph up once its outputs are known.
#pragma once

#include <set>

#include "ir/graph.h"

namespace t2n::loops {

/// Removes dead code after rerolling, except values whose sizes appear in arguments or `queried`.
/// Errors: `dynamic-loop`.
void finish_loops(ir::Graph& graph, const std::set<ir::Symbol>& queried);

}  // namespace t2n::loops
