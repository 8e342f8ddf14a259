// SPDX-License-Identifier: Apache-2.0
// Runs, verifies, times and prints passes.
#include <algorithm>
#include <chrono>

#include "ir/loop_notes.h"
#include "src/passes/pass.h"
#include "src/passes/passes_run.h"

namespace t2n::passes {
namespace {

bool run_deep(Pass pass, ir::Graph& graph, const PassContext& context);

/// Runs the pass on a copy of an operation's nested graph: other graphs may share the original.
bool run_in_body(Pass pass, const ir::Graph& graph, ir::Node& node, const PassContext& context) {
  auto body = std::make_shared<ir::Graph>(*node.body);
  if (const auto sizes = graph.attributes.find(ir::kSampleSizes); sizes != graph.attributes.end())
    body->attributes.insert(*sizes);  // bodies share the graph's symbols
  PassContext inside = context;
  inside.in_body = true;
  if (!run_deep(pass, *body, inside)) return false;
  node.body = std::move(body);
  return true;
}

bool run_deep(Pass pass, ir::Graph& graph, const PassContext& context) {
  bool changed = false;
  for (ir::Node& node : graph.nodes)
    if (node.body) changed |= run_in_body(pass, graph, node, context);
  return pass(graph, context) || changed;
}

bool is_printed(const PassInfo& info, bool changed, const PipelineOptions& options) {
  return options.print && (options.print_after == "all" || options.print_after == info.name ||
                           (options.print_changed && changed));
}

}  // namespace

const PassInfo& find_pass(std::string_view name, const std::vector<PassInfo>& table) {
  for (const PassInfo& info : table)
    if (info.name == name) return info;
  std::vector<std::string> names;
  for (const PassInfo& info : table) names.emplace_back(info.name);
  const std::string near = nearest(name, names);
  throw Error("usage", cat("there is no pass called ", quoted(name)), {},
              near.empty() ? "`t2nnef opt --list` shows all passes"
                           : cat("did you mean ", quoted(near), "?"));
}

bool PipelineOptions::is_disabled(std::string_view pass) const {
  return std::find(disabled.begin(), disabled.end(), pass) != disabled.end();
}

bool run_pass(const PassInfo& pass, ir::Graph& graph, const PassContext& context,
              const PipelineOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  const bool changed =
      pass.descends ? run_deep(pass.run, graph, context) : pass.run(graph, context);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  if (changed) graph.attributes.erase(ir::kUnrolledLoops);  // they count nodes
  if (options.time) options.time(pass.name, seconds.count());
  note_run(graph, std::string(pass.name));
  ir::verify(graph, pass.name);
  if (options.observe) options.observe(pass.name, graph);
  if (is_printed(pass, changed, options))
    options.print(
        cat("# after ", pass.name, changed ? "" : " (unchanged)", "\n", ir::print(graph)));
  return changed;
}

}  // namespace t2n::passes
