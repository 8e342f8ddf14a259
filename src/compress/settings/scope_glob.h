// SPDX-License-Identifier: Apache-2.0
// Globs over the modules of a graph.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"
#include "src/diag/glob.h"

namespace t2n::compress {

/// The depth of the outermost module or operation around a node that the glob names, 0 for the
/// whole model, which "" names; nothing if it names none. A glob names a module by its path
/// ("layer1.0") or its address ("ResNet/Sequential[layer1]"), an operation by its address.
std::optional<int> matched_depth(const ir::Graph& graph, const ir::Node& node,
                                 std::string_view glob);

/// Whether the glob names any operation, loop bodies included.
bool names_any(const ir::Graph& graph, std::string_view glob);

/// What to do about a glob that names none: at most three similar paths or addresses, if any.
std::string hint_of_scopes(const ir::Graph& graph, std::string_view glob);

}  // namespace t2n::compress
