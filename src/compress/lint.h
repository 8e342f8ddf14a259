// What is odd about the quantisation of a graph: warnings, with what to do.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"
#include "src/diag/finding.h"
#include "src/passes/context.h"

namespace t2n::compress {

/// A rule, and what it needs to be looked at: "" for the graph alone.
struct LintRule {
  std::string_view name;
  std::string_view help;  ///< what to do
  std::string_view needs;
};
const std::vector<LintRule>& lint_rules();

/// All findings, each with its module path and the line of the user's source, nested graphs
/// included, rule by rule in the order of lint_rules(). Of the context, `settings`, `clipped` and
/// `evaluate` are used where they are there.
std::vector<Finding> lint(const ir::Graph& graph, const passes::PassContext& context = {});

/// Rules that lint() skips, each with what it needs: "saturation: a calibration set".
std::vector<std::string> skipped_rules(const ir::Graph& graph, const passes::PassContext& context);

/// Reports the first `most` as warnings, and how many there are besides.
void report_findings(const std::vector<Finding>& findings, const Report& report, size_t most);

}  // namespace t2n::compress
