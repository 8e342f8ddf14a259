// SPDX-License-Identifier: Apache-2.0
// Weights that passes left in floats although settings request fewer bits: each pass notes why.
#pragma once

#include <any>
#include <map>
#include <string>

#include "ir/graph.h"

namespace t2n::compress {

/// Graph attribute: the reason, by the weight's name.
inline constexpr const char* kSkippedWeights = "skipped_weights";
using SkippedWeights = std::map<std::string, std::string>;

inline SkippedWeights skipped_weights(const ir::Graph& graph) {
  const auto noted = graph.attributes.find(kSkippedWeights);
  if (noted == graph.attributes.end()) return {};
  return std::any_cast<const SkippedWeights&>(noted->second);
}

/// Adds to what earlier passes noted.
inline void note_skipped(ir::Graph& graph, const std::string& weight, const std::string& why) {
  SkippedWeights all = skipped_weights(graph);
  all.emplace(weight, why);
  graph.attributes[kSkippedWeights] = std::move(all);
}

}  // namespace t2n::compress
