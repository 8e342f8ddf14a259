// The pass `lint-quantisation`, and the table of rules.
#include "src/compress/explain/lint.h"

#include <algorithm>
#include <array>

#include "src/compress/explain/lint_view.h"
#include "src/diag/error.h"
#include "src/passes/known.h"
#include "src/passes/pass.h"

namespace t2n::compress {
namespace {

constexpr std::array kFinders = {find_redundant_pairs, find_float_constants, find_unlike_scales,
                                 find_float_islands,   find_unused_settings, find_unseen_ranges,
                                 find_saturation,      find_dead_channels,   find_stored_twice};

/// Runs one rule on the graph and its nested graphs, so that its findings are adjacent.
void run_rule(size_t rule, const ir::Graph& graph, const passes::PassContext& context,
              Findings& findings) {
  kFinders.at(rule)(LintView(graph, context), findings);
  passes::PassContext inside = context;
  inside.settings = nullptr;  // they name modules of the outer graph
  inside.clipped = nullptr;   // it is for the outer graph
  for (const ir::Node& node : graph.nodes)
    if (node.body) run_rule(rule, *node.body, inside, findings);
}

bool has_unloaded(const ir::Graph& graph) {
  return std::any_of(
      graph.constants.begin(), graph.constants.end(),
      [](const ir::Constant& constant) { return !passes::is_loaded(constant.data); });
}

}  // namespace

const std::vector<LintRule>& lint_rules() {
  static const std::vector<LintRule> rules = {
      {"idle-pair",
       "run propagate-qparams and fuse-quantised, or remove both operations: they cost a rounding",
       ""},
      {"float-constant", "run quantise-constants, which stores constants in 8 bits or fewer", ""},
      {"unlike-scales", "use one observer for all operands, so that they share a scale", ""},
      {"float-island",
       "quantise these operations as well, or exclude their neighbours with --ignore", ""},
      {"idle-setting", "remove the setting, or correct the module name", "settings"},
      {"unseen-range", "calibrate with samples that reach it, or exclude its module with --ignore",
       ""},
      {"saturation",
       "calibrate with samples like these, or use the observer min-max, which does not clip",
       "a calibration set"},
      {"dead-channel", "remove the channels from the model, or prune the module less",
       "weights that are loaded"},
      {"stored-twice", "give all readers of the weight the same settings",
       "weights that are loaded"}};
  return rules;
}

void Findings::add(std::string_view rule, const LintView& view, const ir::Node& at,
                   std::string message, std::string help) {
  const auto& rules = lint_rules();
  const auto found = std::find_if(rules.begin(), rules.end(),
                                  [&](const LintRule& each) { return each.name == rule; });
  T2N_ASSERT(found != rules.end(), "no rule of the lint is called ", rule);
  all_.push_back({std::string(found->name), std::move(message), ir::node_where(view.graph, at),
                  help.empty() ? std::string(found->help) : std::move(help)});
}

std::vector<Finding> lint(const ir::Graph& graph, const passes::PassContext& context) {
  T2N_ASSERT(kFinders.size() == lint_rules().size(), "a rule of the lint lacks its function");
  std::vector<Finding> out;
  Findings findings(out);
  for (size_t i = 0; i < kFinders.size(); ++i) run_rule(i, graph, context, findings);
  return out;
}

std::vector<std::string> skipped_rules(const ir::Graph& graph, const passes::PassContext& context) {
  std::vector<std::string> out;
  const bool lacks_weights = has_unloaded(graph);
  for (const LintRule& rule : lint_rules()) {
    const bool is_skipped = (rule.needs == "settings" && context.settings == nullptr) ||
                            (rule.needs == "a calibration set" && !context.clipped) ||
                            (rule.needs == "weights that are loaded" && lacks_weights);
    if (is_skipped) out.push_back(cat(rule.name, " needs ", rule.needs));
  }
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

}  // namespace t2n::compress

bool t2n::passes::lint_quantisation(ir::Graph& graph, const PassContext& context) {
  if (!context.report) return false;
  for (const Finding& finding : compress::lint(graph, context)) context.report(warning_of(finding));
  for (const std::string& skipped : compress::skipped_rules(graph, context))
    context.report({.severity = Severity::note,
                    .id = "lint",
                    .message = cat("not checked: ", skipped),
                    .where = {},
                    .details = {},
                    .why = {},
                    .help = {}});
  return false;
}
