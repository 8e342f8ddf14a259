// SPDX-License-Identifier: Apache-2.0
// Passes: free functions over a graph. Each folder of passes has a header passes.h with its rows
// for the table in src/export.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/passes/context.h"

namespace t2n::passes {

/// Returns true if the graph changed; the graph remains valid.
using Pass = bool (*)(ir::Graph&, const PassContext&);

/// The effect of a pass on the values that the graph computes.
enum class Effect {
  none,       ///< the same operations on the same operands, bit for bit
  preserves,  ///< equal values except for rounding
  changes,    ///< values change: PassInfo::changes describes them
};

struct PassInfo {
  std::string_view name;
  std::string_view doc;
  Pass run;
  Effect effect = Effect::preserves;
  std::string_view changes = {};  ///< "weights, to what 8 bits can hold"; for Effect::changes
  std::string_view needs = {};    ///< what it requires: "an evaluator"
  bool descends = true;           ///< runs in the nested graphs of loops as well
};

/// Errors: `usage`, with a suggestion, if there is no pass with this name.
const PassInfo& find_pass(std::string_view name, const std::vector<PassInfo>& table);

struct PipelineOptions {
  bool is_disabled(std::string_view pass) const;
  std::vector<std::string> disabled;  ///< names of disabled passes
  std::string print_after;            ///< the name of a pass, "all", or nothing
  bool print_changed = false;         ///< print after each pass that changed something
  std::function<void(const std::string& text)> print;
  std::function<void(std::string_view pass, double seconds)> time;
  /// Called after each pass.
  std::function<void(std::string_view pass, const ir::Graph& graph)> observe;
};

/// Runs one pass, also in nested graphs, and verifies. True: it changed. Errors: `ir-invalid`.
bool run_pass(const PassInfo& pass, ir::Graph& graph, const PassContext& context,
              const PipelineOptions& options = {});

}  // namespace t2n::passes
