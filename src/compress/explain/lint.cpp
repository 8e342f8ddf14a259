// SPDX-License-Identifier: Apache-2.0
// The pass `lint-quantisation`.
#include "src/compress/explain/lint.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "src/compress/explain/lint_graph.h"
#include "src/compress/layer_table.h"
#include "src/compress/passes.h"
#include "src/diag/error.h"
#include "src/passes/known.h"
#include "src/passes/passes_run.h"

namespace t2n::compress {
namespace {

/// The constant, also of a quantised weight; a constant expression if the context evaluates it.
std::optional<ir::Tensor> weight_data(const LintedGraph& linted, const LayerTable& table,
                                      ir::ValueId id) {
  const auto stored = linted.program.values[id].stored;
  if (stored && linted.program.values[*stored].data != nullptr)
    return *linted.program.values[*stored].data;
  if (!linted.context.evaluate) return std::nullopt;
  try {
    return table.value(id);
  } catch (const Error&) {  // a value that cannot be computed here is not this rule's concern
    return std::nullopt;
  }
}

/// Input channels that no row reads. Grouped layers have no such axis: a column is one of each
/// group.
std::string dead_inputs(const std::string& name, const ir::Tensor& weight, const ir::Node& node,
                        int channel_axis, const std::optional<ir::QuantInfo>& quant) {
  constexpr size_t kLeastRank = 2;
  if (weight.shape.size() < kLeastRank || channel_axis > 1 || passes::groups_of(node) != 1)
    return "";
  const std::string dead =
      lint::dead_channels(name, weight, static_cast<size_t>(1 - channel_axis), quant);
  return dead.empty() ? "" : "inputs: " + dead;
}

void examine_weights(LintedGraph& linted) {
  const LayerTable table(linted.graph, linted.context.evaluate);
  std::set<ir::ValueId> seen;
  for (size_t i = 0; i < linted.graph.nodes.size(); ++i) {
    const ir::Node& node = linted.graph.nodes[i];
    const auto layer = passes::layer_of(linted.graph, node, linted.known);
    // The row of the padding index is zero.
    if (!layer || passes::is_lookup(node)) continue;
    for (const passes::Weight& weight : layer->weights) {
      if (!weight.channel_axis || !seen.insert(weight.value).second) continue;
      const auto data = weight_data(linted, table, weight.value);
      if (!data) continue;
      const lint::Value& value = linted.program.values[weight.value];
      std::string message =
          lint::dead_channels(value.name, *data, static_cast<size_t>(*weight.channel_axis),
                              linted.program.values[value.stored.value_or(weight.value)].quant);
      if (!message.empty()) linted.add("dead-channel", i, std::move(message));
      message = dead_inputs(value.name, *data, node, *weight.channel_axis,
                            linted.program.values[value.stored.value_or(weight.value)].quant);
      if (!message.empty()) linted.add("dead-channel", i, std::move(message));
      if (!value.scale) continue;
      const bool is_integer = !ir::is_float(data->dtype);
      message = unlike_channels(value.name, *data, static_cast<size_t>(*weight.channel_axis),
                                *value.scale, is_integer);
      if (!message.empty()) linted.add("one-scale", i, std::move(message));
    }
  }
}

/// Advice to run a pass that has run already is replaced by the rule's other advice.
void drop_done_advice(LintedGraph& linted) {
  const std::set<std::string> run = passes::passes_run(linted.graph);
  for (Finding& finding : linted.findings) {
    const bool is_done = std::any_of(run.begin(), run.end(), [&](const std::string& name) {
      return finding.help.find("run " + name) != std::string::npos;
    });
    if (is_done) finding.help = lint::rule(finding.rule).help_for_file;
  }
}

/// Those of the graph, then those of its nested graphs.
void collect_findings(const ir::Graph& graph, const passes::PassContext& context,
                      std::vector<Finding>& out) {
  LintedGraph linted{graph, context, passes::known_values(graph), lint_program(graph), {}};
  linted.findings = lint::examine(linted.program);
  examine_requests(linted);
  examine_grids(linted);
  examine_weights(linted);
  drop_done_advice(linted);
  std::move(linted.findings.begin(), linted.findings.end(), std::back_inserter(out));
  passes::PassContext inside = context;
  inside.settings = nullptr;  // they name modules of the outer graph
  inside.clipped = nullptr;   // it is for the outer graph
  for (const ir::Node& node : graph.nodes)
    if (node.body) collect_findings(*node.body, inside, out);
}

bool has_unloaded(const ir::Graph& graph) {
  return std::any_of(graph.constants.begin(), graph.constants.end(),
                     [](const ir::Constant& constant) { return !constant.data.is_loaded(); });
}

}  // namespace

std::vector<Finding> lint(const ir::Graph& graph, const passes::PassContext& context) {
  std::vector<Finding> out;
  collect_findings(graph, context, out);
  lint::sort_by_rule(out);
  return out;
}

std::vector<std::string> skipped_rules(const ir::Graph& graph, const passes::PassContext& context) {
  std::vector<std::string> out;
  if (context.settings == nullptr) out.emplace_back("idle-setting needs settings");
  if (!context.clipped) out.emplace_back("saturation needs a calibration set");
  if (has_unloaded(graph))
    for (const char* rule : {"dead-channel", "stored-twice"})
      out.push_back(cat(rule, " needs weights that are loaded"));
  return out;
}

void report_findings(const std::vector<Finding>& findings, const Report& report, size_t most) {
  if (!report) return;
  for (size_t i = 0; i < std::min(findings.size(), most); ++i) report(warning_of(findings[i]));
  if (findings.size() <= most) return;
  report({.severity = Severity::warning,
          .id = "lint",
          .message = cat("and ", findings.size() - most, " more findings"),
          .where = {},
          .details = {},
          .why = {},
          .help = "`t2nnef lint` with the same options lists all"});
}

bool lint_quantisation(ir::Graph& graph, const passes::PassContext& context) {
  if (!context.report) return false;
  for (const Finding& finding : lint(graph, context)) context.report(warning_of(finding));
  for (const std::string& skipped : skipped_rules(graph, context))
    context.report({.severity = Severity::note,
                    .id = "lint",
                    .message = cat("not checked: ", skipped),
                    .where = {},
                    .details = {},
                    .why = {},
                    .help = {}});
  return false;
}

}  // namespace t2n::compress
