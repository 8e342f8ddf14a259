// SPDX-License-Identifier: Apache-2.0
// A graph that is linted. Private to the lint.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"
#include "src/passes/context.h"
#include "src/quant_lint/rules.h"

namespace t2n::compress {

/// The graph as the rules see it: value i is the graph's, and statement i its node.
lint::Program lint_program(const ir::Graph& graph);

struct LintedGraph {
  const ir::Graph& graph;
  const passes::PassContext& context;
  std::vector<bool> known;  ///< passes::known_values()
  lint::Program program;
  std::vector<Finding> findings;

  void add(std::string_view rule, size_t node, std::string message) {
    findings.push_back(lint::finding(program, rule, node, std::move(message)));
  }
};

/// The rules about what only graphs have: idle-setting, unseen-range, saturation.
void examine_requests(LintedGraph& linted);
/// The rule unsigned-grid.
void examine_grids(LintedGraph& linted);

/// What the rule one-scale says of a weight whose channels along `axis` have one scale, although
/// their ranges differ a hundredfold. "" if they do not.
std::string unlike_channels(const std::string& name, const ir::Tensor& weight, size_t axis,
                            const lint::Scale& scale, bool is_integer);

}  // namespace t2n::compress
