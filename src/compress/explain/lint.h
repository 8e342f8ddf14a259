// SPDX-License-Identifier: Apache-2.0
// Finds unusual quantisation in a graph: warnings, with advice.
#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"
#include "src/diag/finding.h"
#include "src/passes/context.h"

namespace t2n::compress {

/// All findings, each with its module path and the line of the user's source, nested graphs
/// included, in the order of lint::rules(). Of the context, `settings`, `clipped` and `evaluate`
/// are used if present.
std::vector<Finding> lint(const ir::Graph& graph, const passes::PassContext& context = {});

/// Rules that lint() skips, each with what it lacks: "saturation needs a calibration set".
std::vector<std::string> skipped_rules(const ir::Graph& graph, const passes::PassContext& context);

/// Reports the first `most` findings as warnings, and the number of the others.
void report_findings(const std::vector<Finding>& findings, const Report& report, size_t most);

}  // namespace t2n::compress
