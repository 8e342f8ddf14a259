// SPDX-License-Identifier: Apache-2.0
// Liveness analysis and dead code elimination.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "ir/graph.h"

namespace t2n::ir {

/// Calls `visit` for symbols of sizes of values in the graph.
void for_each_size(const Attr& attr, const std::function<void(const Symbol&)>& visit);
/// The values that define sizes: for data-dependent sizes, the first value with the size; for sizes
/// of a trace, the value in the symbol's name.
std::map<Symbol, ValueId> defining_values(const Graph& graph);

/// For each node, whether a needed value depends on it; marks the values that those nodes read in
/// `needed`.
std::vector<bool> live_nodes(const Graph& graph, std::vector<bool>& needed);

/// Removes operations and constants that no output needs, and values that are no longer defined;
/// also removes unused states, inputs and outputs of scans. With `keeps_nodes`, operations and the
/// values that they read stay. Returns true if anything was removed.
bool remove_dead(Graph& graph, bool keeps_nodes = false);

/// Replaces value `i` by `replacement[i]` in every operand and graph output.
void replace_uses(Graph& graph, const std::vector<ValueId>& replacement);

}  // namespace t2n::ir
