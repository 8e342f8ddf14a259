// SPDX-License-Identifier: Apache-2.0
// What `inspect` and `ops` show of a model: all of it, or what is known of one that is refused.
#include <functional>

#include "src/export/all_refusals.h"
#include "src/export/declared_axes.h"
#include "src/export/pass_table.h"
#include "src/export/stages.h"
#include "src/model/torch_module.h"

namespace t2n {
namespace {

using Finish = std::function<void(ir::Graph&)>;

/// What is known of a file that cannot be loaded. Throws if that is nothing.
Inspection not_loaded(const ExportOptions& options, const Error& error) {
  Inspection out;
  const bool is_method_missing = error.diagnostic().subject == options.method;
  if (!is_method_missing) out.code = code_of(options.model);
  if (!out.code) throw Error(error);
  out.error = with_code(error, out.code, options.target);
  return out;
}

/// Adds what is known of a model that cannot be traced.
void add_untraced(Inspection& out, const LoadedModel& loaded, const ExportOptions& options,
                  const Error& error, const Finish& finish) {
  Refusals refusals = all_refusals(loaded, options, error);
  out.error = std::move(refusals.error);
  if (refusals.graph) {
    try {
      finish(*refusals.graph);
      out.reached = std::move(refusals.graph);
    } catch (const Error&) {
      // A pass refuses it: the code remains.
    }
  }
  if (!out.reached) out.code = code_of(options.model);
}

/// Without samples, only describes the file; else passes the graph to `finish`.
Inspection inspect(ExportOptions options, const Finish& finish) {
  Inspection out;
  std::optional<LoadedModel> loaded;
  try {
    loaded = load_model(options);
  } catch (const Error& error) {
    if (error.code() == ExitCode::usage) throw;
    return not_loaded(options, error);
  }
  options.dynamic = with_declared_axes(*loaded, std::move(options.dynamic), {});
  out.model = loaded->info;
  TracedModel model;
  try {
    model = trace_model(*loaded, options);
    finish(model.traced.graph);
  } catch (const Error& error) {
    if (error.code() == ExitCode::bug) throw;
    if (error.diagnostic().id == "input-missing")
      out.code = code_of(options.model);
    else
      add_untraced(out, *loaded, options, error, finish);
    return out;
  }
  verify_file(model, false);
  out.states = std::move(model.traced.states);
  out.graph = std::move(model.traced.graph);
  out.with_quantised = std::move(model.traced.with_quantised);
  return out;
}

}  // namespace

Inspection inspect_model(const ExportOptions& options) {
  return inspect(options, [](ir::Graph& graph) {
    passes::PassContext context;
    context.keeps_symbol = [](const ir::Symbol&) { return true; };
    context.evaluate = torch_module().evaluator();
    passes::run_pipeline(graph, passes::pipeline(passes::Pipeline::inspection), context, {});
  });
}

Inspection prepare_model(const ExportOptions& options) {
  return inspect(options, [&](ir::Graph& graph) {
    run_standard_passes(graph, options.target, options.passes, {});
  });
}

std::vector<std::pair<std::string, int64_t>> operators_of(const ir::Graph& graph) {
  std::map<std::string_view, int64_t> uses;
  for (const ir::Node& node : graph.nodes) ++uses[ir::op_name(node.op)];
  std::vector<std::pair<std::string, int64_t>> out(uses.begin(), uses.end());
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return out;
}

}  // namespace t2n
