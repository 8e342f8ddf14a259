// SPDX-License-Identifier: Apache-2.0
// Runs a model as a trace does, but goes on after refusals.
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <set>

#include "src/frontend/load/warning_relay.h"
#include "src/frontend/session/attempt.h"

namespace t2n::trace {
namespace {

/// Outputs of a graph whose run did not end: each result that nothing reads.
void add_unread(ir::Graph& graph) {
  const std::vector<int> uses = ir::use_counts(graph);
  for (const ir::Node& node : graph.nodes)
    for (const ir::ValueId id : node.outputs)
      if (uses[id] == 0) graph.outputs.push_back(id);
}

void name_outputs(ir::Graph& graph) {
  std::set<ir::ValueId> seen;
  std::erase_if(graph.outputs, [&](ir::ValueId id) { return !seen.insert(id).second; });
  graph.output_names.clear();
  for (size_t i = 0; i < graph.outputs.size(); ++i)
    graph.output_names.push_back(cat("survey_output_", i));
}

void note(Survey& survey, const std::optional<Error>& error) {
  if (error && error->code() == ExitCode::unsupported)
    add_refusal(survey.refusals, error->diagnostic());
}

}  // namespace

Survey Session::survey(const std::vector<SampleInput>& inputs, const TraceOptions& options) {
  const c10::InferenceMode guard;
  limit_memory(inputs);
  const Report none;
  WarningRelay relay(none);
  const c10::WarningUtils::WarningHandlerGuard warnings(&relay);
  Split samples = split(inputs, options.explicit_states);
  const Tensors by_user = samples.states;
  TraceOptions noting = options;
  noting.report = {};
  const auto run = [&](Survey& out) {
    noting.survey = &out;
    Attempt current = attempt(samples, noting);
    out.is_complete = !current.error;
    out.graph = current.traced.graph;
    return current;
  };
  Survey out;
  Attempt last = run(out);
  // Without --state, failures that only inputs in place of parts of the model cause are consequences.
  while (!last.error && adopt_changes(last, samples)) {
    Survey next;
    last = run(next);
    if (options.explicit_states) out = std::move(next);
  }
  if (!last.error) {
    try {
      finish(std::move(last), samples, by_user, noting);
    } catch (const Error& error) {
      note(out, error);
    }
  } else if (!out.is_complete) {
    note(out, last.error);
  }
  if (!out.is_complete) add_unread(out.graph);
  name_outputs(out.graph);
  return out;
}

}  // namespace t2n::trace
