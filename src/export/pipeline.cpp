// Calls the stages in order; other files define them.
#include "src/export/pipeline.h"

#include <algorithm>
#include <filesystem>

#include "nnef_writer/group.h"
#include "ops/all.h"
#include "src/check/calls.h"
#include "src/check/packed_weights.h"
#include "src/check/stream.h"
#include "src/confine/confine.h"
#include "src/diag/error.h"
#include "src/diag/headline.h"
#include "src/export/causal_lm.h"
#include "src/export/signature.h"
#include "src/export/stages.h"
#include "src/export/states.h"
#include "src/model/torch_module.h"
#include "src/passes/integer_products.h"
#include "src/quant/summary.h"
#include "src/spec/dialect.h"
#include "src/target/integer_products.h"
#include "src/translate/nan.h"
#include "src/translate/registry.h"
#include "src/translate/translate.h"

namespace t2n {
namespace {

namespace fs = std::filesystem;

std::string default_output(const std::string& model) {
  return fs::path(model).stem().string() + ".nnef.tgz";
}

nnef::Destination export_destination(const ExportOptions& options) {
  nnef::Destination out = nnef::parse_destination(output_path(options));
  out.level = options.compression;
  out.taken = options.taken;
  out.taken.push_back({"the model", options.model, /*is_model=*/true});
  return out;
}

void add_dynamic(ExportResult& result, const dynamic::DynamicTrace& dynamic) {
  result.relations = dynamic.relations;
  result.relations.insert(result.relations.end(), dynamic.runtime_assertions.begin(),
                          dynamic.runtime_assertions.end());
}

void run_passes(ir::Graph& graph, const target::Target& target,
                const passes::PipelineOptions& options, const Report& report) {
  if (const int64_t least = target::least_integer_products(target, target::Layer::linear))
    graph.attributes[passes::kLeastIntegerProducts] = least;
  passes::run_pipeline(graph, passes::default_pipeline(), pass_context(target, report), options);
}

/// Translates at fixed sizes. Errors: `unsupported-op` with all operators without a translation.
void refuse_untranslated(const ExportOptions& options) {
  trace::TraceOptions quiet = trace_options(options);
  quiet.report = nullptr;
  TracedModel model =
      load_and_trace(options.model, options.method, options.samples, {}, quiet, [](auto) {});
  note_ranges(model, model.traced.graph);
  to_nnef(model.traced.graph, options.target, options.passes, nullptr);
}

/// An operator without a translation has no shape rule either, so that its sizes are unknown. Then
/// reports the missing operator instead.
TracedModel traced_model(const ExportOptions& options,
                         const std::function<void(std::string_view)>& progress) {
  try {
    return load_and_trace(options.model, options.method, options.samples, options.dynamic,
                          trace_options(options), progress, [&](const TracedModel& model) {
                            return has_document(model, options.target, options.passes);
                          });
  } catch (const Error& error) {
    if (error.diagnostic().id != "dynamic-size") throw;
    try {
      refuse_untranslated(options);
    } catch (const Error& at_one_size) {
      if (at_one_size.diagnostic().id == "unsupported-op") throw;
    }
    throw;
  }
}

/// Without samples, only describes the file; else passes the graph to `finish`.
Inspection inspect(const ExportOptions& options, const std::function<void(ir::Graph&)>& finish) {
  TracedModel model = load_model(options.model, options.method, options.samples);
  Inspection out;
  out.model = model.info;
  try {
    trace_model(model, options.samples, options.dynamic, trace_options(options));
  } catch (const Error& error) {
    if (error.diagnostic().id != "input-missing") throw;
    return out;
  }
  note_ranges(model, model.traced.graph);
  finish(model.traced.graph);
  torch_module().verify(*model.session, false);
  out.states = std::move(model.traced.states);
  out.graph = std::move(model.traced.graph);
  out.with_quantised = std::move(model.traced.with_quantised);
  return out;
}

size_t count_operations(const nnef::Document& document) {
  return std::count_if(document.graph.body.begin(), document.graph.body.end(),
                       [](const nnef::Assignment& assignment) {
                         const std::string& op = assignment.right.text;
                         return op != "variable" && op != "external" && op != "tract_core_external";
                       });
}

/// Adds the options of --preset.
ExportOptions with_preset(const ExportOptions& options) {
  ExportOptions out = options;
  if (!options.is_causal_lm) return out;
  CausalLm preset = causal_lm(options);
  out.dynamic = std::move(preset.dynamic);
  out.names = std::move(preset.names);
  return out;
}

/// Renames the outputs of the losses like those of the artefact.
void name_losses(ExportResult& result) {
  std::vector<compress::OutputLoss>& losses = result.compression->outputs;
  for (size_t i = 0; i < std::min(losses.size(), result.outputs.size()); ++i)
    losses[i].name = result.outputs[i].name;
}

/// Checks the written artefact. Throws if it is wrong.
void check_written(const nnef::Document& document, const fs::path& artefact, TracedModel& model,
                   const ExportOptions& options, const FoundEngine& engine, ExportResult& result) {
  const std::vector<std::string> names = port_names(result.outputs);
  CheckOptions check = *options.check;
  check.scratch = engine.scratch->path();
  result.checked =
      check_artefact(artefact.string(), model, names, check, *engine.runner,
                     engine_request_for(options.target).dialect, artefact_inputs_of(document));
  check_calls(model, names, *options.check, *engine.runner, artefact_inputs_of(document),
              engine_request_for(options.target).dialect, result.checked);
  if (target::streams(options.target))
    check_in_pulses(model, names, *options.check, *engine.runner, artefact_inputs_of(document),
                    options.target.stream, stream_properties(document), result.checked);
  judge(result.checked, *options.check, "; nothing was written", options.report);
  const check::WeightBytes weights = check::weight_bytes(document);
  if (weights.weights > 0 && result.checked.loaded_bytes)
    result.packed =
        check::packed_text(weights, *result.checked.loaded_bytes, result.checked.engine);
}

/// Options that change the exported statements, for `contents-differ`.
std::string option_text(const ExportOptions& options) {
  std::vector<std::string> texts;
  if (options.reroll_loops) texts.emplace_back("roll-loops");
  for (const std::string& pass : options.passes.disabled) texts.push_back("disable-pass " + pass);
  return joined(texts, ", ");
}

/// Exports one method; the artefact stays pending until all are complete.
ExportResult export_one(const ExportOptions& requested, const FoundEngine& engine,
                        nnef::PendingGroup& artefacts, size_t number) {
  const auto progress = [&](std::string_view stage) {
    if (requested.progress) requested.progress(stage);
  };
  ExportResult result;
  result.method = requested.method;
  result.path = output_path(requested);
  const ExportOptions options = with_preset(requested);
  TracedModel model = traced_model(options, progress);
  ir::Graph& graph = model.traced.graph;
  result.model = model.info;
  result.samples_from_file = model.samples_from_file;
  result.constant_inputs = model.traced.constant_inputs;
  list_ports(graph, result);
  if (const auto& quantised = model.traced.with_quantised)
    result.quantised_weights = quant::summarise(*quantised).weights;
  if (options.is_causal_lm) require_lengths(*model.dynamic, options.dynamic.asserted);
  if (model.dynamic) add_dynamic(result, *model.dynamic);
  pair_states(model.traced, result);
  note_pairs(result, options.report);

  note_ranges(model, graph);
  if (const auto compress = with_model_settings(options.compress, model.info)) {
    progress("compress");
    result.compression =
        compress_model(model, *compress, options.target, options.passes, options.report);
  }
  if (options.check) model.recorded = graph;
  progress("passes");
  if (!options.nan.empty()) graph.attributes[ops::kNanOption] = options.nan;
  nnef::Document document = to_nnef(graph, options.target, options.passes, options.report);
  resolve_unused_inputs(options, graph, document, result);
  rename_ports(options.names, document, result);
  if (result.compression) {
    name_losses(result);
    spec::add_property(document, spec::kCompressed, "yes");
  }
  if (const std::string text = option_text(options); !text.empty())
    spec::add_property(document, spec::kOptions, text);
  if (options.is_causal_lm) require_caches(document);
  result.operations = count_operations(document);
  progress("write");
  const nnef::PendingGroup::Written written = artefacts.add(document, number);
  if (options.check) {
    progress("check");
    check_written(document, written.path, model, options, engine, result);
  }
  torch_module().verify(*model.session, true);
  result.bytes = size_on_disk(written.path);
  result.shared_bytes = written.shared_bytes;
  return result;
}

nnef::Group group_of(const std::vector<ExportOptions>& methods) {
  nnef::Group out;
  const ExportOptions& first = methods.front();
  if (first.folder.empty()) {
    for (const ExportOptions& options : methods) out.each.push_back(export_destination(options));
    return out;
  }
  ExportOptions folder = first;
  folder.output = first.folder;
  out.folder = export_destination(folder);
  out.folder->form = nnef::Destination::Form::folder;
  for (const ExportOptions& options : methods) out.folder->parts.push_back(options.method);
  return out;
}

/// Call it before loading a model, which confines the process.
void allow_reads(const std::vector<ExportOptions>& methods) {
  for (const ExportOptions& options : methods) {
    if (options.compress) may_read(*options.compress);
    for (const Sample& sample : options.samples)
      if (!sample.file.empty()) confine::may_read(sample.file);
  }
}

/// Refuses a missing method before any method is exported.
void require_methods(const std::vector<ExportOptions>& methods) {
  if (methods.size() == 1) return;
  for (const ExportOptions& options : methods) load_model(options.model, options.method, {});
}

Diagnostic with_method(Diagnostic diagnostic, const ExportOptions& options) {
  diagnostic.message = cat(options.method, ": ", headline(diagnostic));
  diagnostic.subject.clear();
  if (diagnostic.id.starts_with("input-") && !diagnostic.help.empty())
    diagnostic.help +=
        cat("; options for this method only begin with ", quoted(cat(options.method, ":")));
  return diagnostic;
}

ExportOptions reporting(ExportOptions options) {
  if (options.report)
    options.report = [report = options.report, options](const Diagnostic& diagnostic) {
      report(with_method(diagnostic, options));
    };
  if (options.progress)
    options.progress = [progress = options.progress, method = options.method](
                           std::string_view stage) { progress(cat(method, ": ", stage)); };
  return options;
}

/// Whether other methods may still succeed: not if the disk, the engine or the time is
/// insufficient.
bool concerns_one_method(ExitCode code) {
  return code == ExitCode::usage || code == ExitCode::unreadable || code == ExitCode::unsupported ||
         code == ExitCode::mismatch || code == ExitCode::engine_rejects;
}

std::vector<ExportResult> export_all(const std::vector<ExportOptions>& methods,
                                     const FoundEngine& engine, nnef::PendingGroup& artefacts) {
  if (methods.size() == 1) return {export_one(methods.front(), engine, artefacts, 0)};
  std::vector<ExportResult> out;
  std::optional<Error> failure;
  for (size_t i = 0; i < methods.size(); ++i) {
    const ExportOptions& options = methods[i];
    try {
      out.push_back(export_one(reporting(options), engine, artefacts, i));
    } catch (const Error& error) {
      if (!concerns_one_method(error.code())) throw;
      if (failure && options.report) options.report(failure->diagnostic());
      failure.emplace(with_method(error.diagnostic(), options));
    }
  }
  if (failure) throw Error(*failure);
  return out;
}

}  // namespace

nnef::Document to_nnef(ir::Graph& graph, const target::Target& target,
                       const passes::PipelineOptions& options, const Report& report) {
  run_passes(graph, target, options, report);
  return ops::translate(graph, target, report, ops::registry());
}

bool has_document(const TracedModel& model, const target::Target& target,
                  const passes::PipelineOptions& options) {
  ir::Graph graph = model.traced.graph;
  note_ranges(model, graph);
  try {
    to_nnef(graph, target, options, nullptr);
    return true;
  } catch (const Error&) {
    return false;
  }
}

std::string output_path(const ExportOptions& options) {
  return options.output.empty() ? default_output(options.model) : options.output;
}

std::vector<ExportResult> export_methods(const std::vector<ExportOptions>& methods) {
  for (const ExportOptions& options : methods) require_stream(options.target, options.dynamic);
  const nnef::Group group = group_of(methods);
  nnef::check_group(group);
  const ExportOptions& first = methods.front();
  // A missing engine is reported before any export.
  EngineRequest request = engine_request_for(first.target);
  request.needs_own = first.check && first.check->strict;
  const FoundEngine engine =
      first.check ? find_engine(first.check->engine, request, first.check->runner) : FoundEngine{};
  if (engine.warning && first.report) first.report(*engine.warning);
  allow_reads(methods);
  require_methods(methods);
  nnef::PendingGroup artefacts(group);
  std::vector<ExportResult> results = export_all(methods, engine, artefacts);
  artefacts.commit();
  if (first.progress) first.progress("done");
  return results;
}

Inspection inspect_model(const ExportOptions& options) {
  return inspect(options, [](ir::Graph& graph) {
    passes::PassContext context;
    context.keeps_symbol = [](const ir::Symbol&) { return true; };
    context.evaluate = torch_module().evaluator();
    passes::run_pipeline(graph, {"bind-sizes", "dead-code", "fold-constants", "dead-code"}, context,
                         {});
  });
}

Inspection prepare_model(const ExportOptions& options) {
  return inspect(options,
                 [&](ir::Graph& graph) { run_passes(graph, options.target, options.passes, {}); });
}

}  // namespace t2n
