// SPDX-License-Identifier: Apache-2.0
#include "src/export/check_command.h"

#include <algorithm>

#include "src/check/contents.h"
#include "src/diag/error.h"
#include "src/export/all_refusals.h"
#include "src/export/declared_axes.h"
#include "src/export/graph_file.h"
#include "src/export/half_model.h"
#include "src/export/pipeline.h"
#include "src/export/stages.h"
#include "src/localise/localise.h"
#include "src/spec/dialect.h"
#include "src/spec/states.h"

namespace t2n {
namespace {

/// The target whose operators a refusal lists; the newest one if the file names an unknown one.
target::Target target_for_refusals(const nnef::Document& document) {
  try {
    return named_target(document);
  } catch (const Error&) {
    return target::parse_target("tract");
  }
}

/// A model without samples is traced with those that the artefact declares.
TracedModel traced_for_check(const LoadedModel& loaded, const CheckExistingOptions& options,
                             const OpenedArtefact& opened) {
  const auto traced = [&](const std::vector<Sample>& samples) {
    ExportOptions requested;
    static_cast<ModelOptions&>(requested) = options;
    requested.samples = samples;
    requested.dynamic = without_closed_axes(loaded, options.dynamic);
    if (!opened.artefact.document.symbols.empty())
      requested.dynamic = with_declared_axes(loaded, options.dynamic, {});
    const LoadedModel model = with_samples(loaded, samples);
    return traced_or_refused(model, requested, RefusedBy::trace, [&] {
      return trace_to_export(model, requested, [&](const TracedModel& candidate) {
        return has_document(candidate, named_target(opened.artefact.document), {});
      });
    });
  };
  try {
    return traced(options.samples);
  } catch (const Error& error) {
    if (error.diagnostic().id != "input-missing" || !options.samples.empty()) throw;
    const std::vector<Sample> declared = declared_samples(opened.inputs);
    if (declared.empty()) throw;
    return traced(declared);
  }
}

[[noreturn]] void refuse_states(std::string message) {
  throw Error("contents-differ", std::move(message), "runs would start with other values",
              "export the model again with --state");
}

/// The state of the file that is the model's; its order is that of an export.
const spec::State& noted_state(const nnef::Document& document, const trace::Traced& traced,
                               const std::vector<spec::State>& noted, size_t index) {
  const trace::State& state = traced.states[index];
  const nnef::Graph& graph = document.graph;
  // Without unused inputs, positions are others.
  if (graph.parameters.size() != traced.graph.inputs.size() ||
      graph.results.size() != traced.graph.outputs.size())
    return noted[index];
  const std::string& input = graph.parameters[state.input];
  const auto found = std::find_if(noted.begin(), noted.end(),
                                  [&](const spec::State& each) { return each.input == input; });
  if (found == noted.end() || found->output != graph.results[state.output])
    refuse_states(cat("the file does not note that ", quoted(graph.results[state.output]),
                      " is the next ", quoted(input)));
  return *found;
}

/// The properties about states, sorted.
std::vector<std::pair<std::string, std::string>> state_properties(const nnef::Document& document) {
  std::vector<std::pair<std::string, std::string>> out = spec::properties(document);
  std::erase_if(out, [](const auto& each) { return !spec::is_state_property(each.first); });
  std::sort(out.begin(), out.end());
  return out;
}

/// Compares the pairs and first values of states in a file of ours with the model's: no run of the
/// check starts with the file's. A sample may have given others. Errors: `contents-differ`.
void require_states(const nnef::Document& document, const trace::Traced& traced) {
  const bool is_ours = spec::property(document, "t2nnef_version").has_value();
  if (traced.states.empty() || (!is_ours && document.states.empty())) return;
  const std::vector<spec::State> noted = spec::states_of(document);
  if (noted.size() != traced.states.size())
    refuse_states(
        cat("the file notes states: ", noted.size(), "; the model has ", traced.states.size()));
  for (size_t i = 0; i < noted.size(); ++i) {
    const trace::State& state = traced.states[i];
    const spec::State& in_file = noted_state(document, traced, noted, i);
    if (!in_file.initial)
      refuse_states(cat("the file has no first value of the state ", quoted(in_file.input)));
    const auto is_value = [&](const ir::Tensor& value) {
      const auto same = as_dtype(ir::as_pairs(value), in_file.initial->dtype);
      return same && ir::same_values(ir::contiguous(*same), ir::contiguous(*in_file.initial));
    };
    if (!is_value(state.initial) && !(state.own && is_value(*state.own)))
      refuse_states(cat("the first value of the state ", quoted(in_file.input), " is ",
                        spec::first_value_text(*in_file.initial), "; the model's is ",
                        spec::first_value_text(state.own.value_or(state.initial))));
  }
  if (!is_ours) return;
  nnef::Document again = spec::without_states(document);
  spec::add_states(again, noted);
  if (state_properties(document) != state_properties(again))
    refuse_states(cat("the properties of states differ from ", nnef::kStatesFile));
}

}  // namespace

CheckedExisting compare_with_model(const CheckExistingOptions& options) {
  const OpenedArtefact opened =
      open_artefact(options.artefact, options.check, options.stream, options.report);
  options.begin("load");
  const LoadedModel loaded =
      loaded_or_refused(options, target_for_refusals(opened.artefact.document));
  target::Target streaming = target::parse_target("tract");
  streaming.stream = options.stream;
  if (!loaded.graph && target::streams(streaming))
    require_stream(streaming, with_declared_axes(loaded, options.dynamic, {}).axes);
  options.begin("trace");
  const TracedModel model = traced_for_check(loaded, options, opened);
  options.begin("check");
  require_states(opened.artefact.document, model.traced);
  std::optional<HalfModel> half;
  if (const auto floats = spec::property(opened.artefact.document, spec::kFloat))
    half = half_model(model, parse_float_property(*floats), named_target(opened.artefact.document),
                      {}, nullptr);
  // An accepted guard may make numbers of the artefact depend on the inputs of the trace.
  const bool is_comparable = options.accepted_guards.empty();
  CheckOptions check = options.check;
  check.localiser = localise::localiser({.when = check.localise, .compares_export = is_comparable});
  return {model.info, check_existing(opened, source_model(model, half ? &*half : nullptr), check,
                                     options.stream, is_comparable)};
}

}  // namespace t2n
