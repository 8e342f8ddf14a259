// SPDX-License-Identifier: Apache-2.0
// What a trace finds that goes on after refusals.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ir/graph.h"
#include "src/diag/diagnostic.h"

namespace t2n::trace {

/// All refusals of a run. Its graph is not the model's: it serves to find further refusals, and
/// nothing else.
struct Survey {
  std::vector<Diagnostic> refusals;  ///< in the program's order; each once, with its locations
  /// The recorded operations. Results of refused ones are inputs.
  ir::Graph graph;
  std::set<std::string> substitutes;  ///< the names of these inputs
  std::set<std::string> guessed;      ///< those that have the operand's shape and values instead
  bool is_complete = false;           ///< the run reached the end of the program
};

/// Numbers that the program reads from data, as the first of several runs read them: by the node
/// and how many it has read before. As constants they let a trace reach what is refused after them.
using ReadNumbers = std::map<std::pair<const void*, int64_t>, std::variant<bool, int64_t, double>>;

/// Adds a refusal, or its locations to those of an equal one.
void add_refusal(std::vector<Diagnostic>& refusals, Diagnostic refusal);

}  // namespace t2n::trace
