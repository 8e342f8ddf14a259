// Liveness: what outputs need, and the removal of the rest.
#pragma once

#include <vector>

#include "ir/graph.h"

namespace t2n::ir {

/// For each node whether a needed value depends on it; marks in `needed` what those nodes read.
std::vector<bool> live_nodes(const Graph& graph, std::vector<bool>& needed);

/// Removes operations and constants that no output needs, and values that nothing defines any more;
/// scans lose what they stack, carry or read for nothing. With `keeps_nodes` operations stay, and
/// what they read. Returns true if something went.
bool remove_dead(Graph& graph, bool keeps_nodes = false);

/// Lets every operand and graph output that reads value `i` read `replacement[i]` instead.
void replace_uses(Graph& graph, const std::vector<ValueId>& replacement);

}  // namespace t2n::ir
