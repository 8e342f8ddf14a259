// SPDX-License-Identifier: Apache-2.0
#include "src/reduce/judge.h"

#include <algorithm>
#include <utility>

#include "nnef_writer/archive.h"
#include "src/check/pulses.h"
#include "src/diag/error.h"
#include "src/diag/glob.h"
#include "src/export/graph_model.h"
#include "src/export/pipeline.h"
#include "src/export/stages.h"
#include "src/model/torch_module.h"
#include "src/passes/passes.h"
#include "src/spec/dialect.h"
#include "src/translate/nan.h"

namespace t2n::reduce {
namespace {

std::vector<trace::SampleInput> sample_inputs(const Part& part) {
  std::vector<trace::SampleInput> out;
  for (size_t i = 0; i < part.inputs.size(); ++i)
    out.push_back({{part.graph.values[part.graph.inputs[i]].name}, part.inputs[i]});
  return out;
}

/// The part has to be run, and has values.
bool can_run(const Part& part) {
  for (const ir::Tensor& tensor : part.inputs)
    if (tensor.bytes.empty() && tensor.elements() > 0) return false;
  return true;
}

InputSets sets_of(const Part& part, const ir::Sizes& sizes) {
  const ir::Graph graph = passes::at_sizes(part.graph, sizes);
  InputSet set;
  set.inputs = sample_inputs(part);
  set.expected = ir::run_graph(graph, part.inputs, torch_module().evaluator());
  set.sizes = sizes;
  InputSets out;
  out.executor = trace::Executor::ours;
  out.sets.push_back(std::move(set));
  return out;
}

/// The same as model_of(), at other sizes as well.
TracedModel dynamic_model_of(const Part& part) {
  LoadedModel loaded;
  loaded.graph = part.graph;
  loaded.samples = model_of(part).samples;
  return model_of_graph(loaded);
}

}  // namespace

nnef::Document document_of(const Part& part, const Exporter& exporter) {
  ir::Graph graph = part.graph;
  if (!exporter.nan.empty()) graph.attributes[ops::kNanOption] = exporter.nan;
  return to_nnef(graph, exporter.target, exporter.passes, nullptr);
}

CheckOptions options_for(const Part& part, CheckOptions options, const std::string& differing) {
  if (!differing.empty()) options.tolerance = tolerance_for(options, differing);
  std::erase_if(options.by_output, [&](const check::OutputTolerance& each) {
    const std::vector<std::string>& outputs = part.graph.output_names;
    return std::none_of(outputs.begin(), outputs.end(),
                        [&](const std::string& output) { return glob_matches(each.glob, output); });
  });
  return options;
}

TracedModel model_of(const Part& part) {
  TracedModel out;
  for (const trace::SampleInput& input : sample_inputs(part)) out.samples.push_back({input, {}});
  out.traced.graph = part.graph;
  out.traced.ranges.resize(part.inputs.size());
  out.inputs = ir::input_names(part.graph);
  return out;
}

std::optional<Diagnostic> failure_of(const std::function<void()>& work) {
  try {
    work();
    return std::nullopt;
  } catch (const Error& error) {
    if (error.code() == ExitCode::interrupted || error.code() == ExitCode::cannot_write) throw;
    return error.diagnostic();
  }
}

std::optional<Diagnostic> compared(const Part& part, const nnef::Document& document,
                                   const ir::Sizes& sizes, const Bench& bench) {
  if (!can_run(part)) return std::nullopt;
  auto found = failure_of([&] {
    const bool streams = !bench.stream.symbol.empty();
    const TracedModel model = streams ? dynamic_model_of(part) : model_of(part);
    const SourceModel source = source_model(model);
    InputSets sets = sets_of(part, sizes);
    nnef::Destination destination;
    destination.path = bench.engine.scratch->path() / "part";
    const nnef::PendingArtefact artefact = nnef::write_artefact(document, destination, 1);
    check::Runner& runner = *bench.engine.runner;
    runner.load(artefact.path().string());
    CheckOptions options = options_for(part, bench.options, *bench.differing);
    options.scratch = bench.engine.scratch->path();
    const Checking checking{source,
                            artefact_inputs_of(document),
                            part.graph.output_names,
                            options,
                            runner,
                            spec::dialect_of(document),
                            artefact.path().string(),
                            bench.stream,
                            stream_properties(document)};
    CheckResult result = check_on(sets, checking);
    if (streams && !has_difference(result)) check_in_pulses(checking, result);
    options.strict = false;
    judge(result, options, {}, nullptr);
  });
  if (found && bench.differing->empty()) *bench.differing = found->subject;
  return found;
}

bool is_kept(const Kept& kept, const std::optional<Diagnostic>& found) {
  if (!found || found->id != kept.id) return false;
  return kept.text.empty() || render_text(*found).find(kept.text) != std::string::npos;
}

}  // namespace t2n::reduce
