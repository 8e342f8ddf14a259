// SPDX-License-Identifier: Apache-2.0
// Which passes have run on a graph, as an attribute of it.
#pragma once

#include <any>
#include <set>
#include <string>

#include "ir/graph.h"

namespace t2n::passes {

inline constexpr const char* kPassesRun = "passes_run";

inline std::set<std::string> passes_run(const ir::Graph& graph) {
  const auto found = graph.attributes.find(kPassesRun);
  if (found == graph.attributes.end()) return {};
  return std::any_cast<const std::set<std::string>&>(found->second);
}

inline void note_run(ir::Graph& graph, const std::string& pass) {
  std::set<std::string> all = passes_run(graph);
  if (all.insert(pass).second) graph.attributes[kPassesRun] = std::move(all);
}

}  // namespace t2n::passes
