// SPDX-License-Identifier: Apache-2.0
// The picture of a graph.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "ir/graph.h"
#include "src/picture/picture.h"

namespace t2n::picture {

/// What an export makes of the nodes of a graph and of the bodies of its loops.
struct Exported {
  std::unordered_map<const ir::Node*, std::vector<Line>> statements;
  std::unordered_map<const ir::Node*, std::string> problems;
};

/// `origin` is "model" or "graph". The body of a loop is a group of its own.
Picture from_graph(const ir::Graph& graph, std::string title, std::string origin,
                   const Exported& exported);

}  // namespace t2n::picture
