// SPDX-License-Identifier: Apache-2.0
// Calls the stages in order; other files define them.
#include "src/export/pipeline.h"

#include <algorithm>
#include <filesystem>

#include "nnef_writer/group.h"
#include "nnef_writer/print.h"
#include "ops/all.h"
#include "src/check/packed_weights.h"
#include "src/confine/confine.h"
#include "src/diag/error.h"
#include "src/diag/headline.h"
#include "src/export/all_refusals.h"
#include "src/export/causal_lm.h"
#include "src/export/debug_bundle.h"
#include "src/export/declared_axes.h"
#include "src/export/destinations.h"
#include "src/export/graph_file.h"
#include "src/export/graph_model.h"
#include "src/export/pass_table.h"
#include "src/export/signature.h"
#include "src/export/stages.h"
#include "src/export/step_summaries.h"
#include "src/extend/own_fragments.h"
#include "src/localise/localise.h"
#include "src/model/torch_module.h"
#include "src/passes/passes.h"
#include "src/quant/summary.h"
#include "src/spec/dialect.h"
#include "src/spec/states.h"
#include "src/translate/nan.h"
#include "src/translate/registry.h"

namespace t2n {
namespace {

namespace fs = std::filesystem;

void add_dynamic(ExportResult& result, const dynamic::DynamicTrace& dynamic) {
  result.relations = dynamic.relations;
  result.relations.insert(result.relations.end(), dynamic.runtime_assertions.begin(),
                          dynamic.runtime_assertions.end());
}

TracedModel traced_model(const LoadedModel& loaded, const ExportOptions& options) {
  return traced_or_refused(loaded, options, RefusedBy::translation, [&] {
    TracedModel model = trace_to_export(loaded, options, [&](const TracedModel& traced) {
      return has_document(traced, options.target, options.passes);
    });
    if (options.is_causal_lm)
      for (dynamic::Sizes& sizes : client_lengths(*model.dynamic, options.dynamic.asserted))
        model.dynamic->chooser.require(std::move(sizes));
    return model;
  });
}

size_t count_operations(const nnef::Document& document) {
  return std::count_if(document.graph.body.begin(), document.graph.body.end(),
                       [](const nnef::Assignment& assignment) {
                         const std::string& op = assignment.right.text;
                         return op != "variable" && op != "external" && op != "tract_core_external";
                       });
}

/// Adds the options of --preset, or the axes that the file declares.
ExportOptions with_preset(const LoadedModel& loaded, ExportOptions options) {
  if (options.is_causal_lm) {
    CausalLm preset = causal_lm(loaded, options);
    options.dynamic = std::move(preset.dynamic);
    options.names = std::move(preset.names);
    return options;
  }
  options.dynamic =
      axes_for_target(loaded, std::move(options.dynamic), options.target, options.report);
  return options;
}

/// What an export says of a traced model before passes change its graph.
ExportResult described(const TracedModel& model, const ExportOptions& options) {
  ExportResult out;
  out.method = options.method;
  out.path = output_path(options);
  out.model = model.info;
  out.samples_from_file = model.samples_from_file;
  out.constant_inputs = model.traced.constant_inputs;
  out.operators = operators_of(model.traced.graph);
  list_ports(model.traced.graph, out);
  if (const auto& quantised = model.traced.with_quantised)
    out.quantised_weights = quant::summarise(*quantised).weights;
  if (model.dynamic) add_dynamic(out, *model.dynamic);
  pair_states(model.traced, out);
  note_pairs(out, options.report);
  return out;
}

/// Renames the outputs of the losses like those of the artefact. States and caches, further outputs
/// of four axes, have no classes.
void name_losses(ExportResult& result) {
  constexpr size_t kMostAxes = 3;
  std::vector<compress::OutputLoss>& losses = result.compression->outputs;
  for (size_t i = 0; i < std::min(losses.size(), result.outputs.size()); ++i) {
    const Port& port = result.outputs[i];
    losses[i].name = port.name;
    losses[i].has_classes = i == 0 || (port.other_side.empty() && port.shape.size() <= kMostAxes);
  }
}

/// Options that change the exported statements, for `contents-differ`.
std::string option_text(const ExportOptions& options) {
  std::vector<std::string> texts;
  if (options.reroll_loops) texts.emplace_back("roll-loops");
  if (options.processor == target::Processor::vnni) texts.emplace_back("processor vnni");
  for (const std::string& pass : options.passes.disabled) texts.push_back("disable-pass " + pass);
  for (const extend::ModuleOp& each : extend::extensions().modules)
    texts.push_back(cat("module-op ", each.glob, "=", each.fragment));
  return joined(texts, ", ");
}

/// The document of a traced model, and the indices of the model's inputs that it has.
struct Exported {
  nnef::Document document;
  std::vector<size_t> inputs;
};

Exported document_of(ir::Graph graph, const ExportOptions& options, ExportResult& result) {
  if (options.floats.has_half_ports) {
    passes::drop_port_casts(graph);
    for (std::vector<Port>* ports : {&result.inputs, &result.outputs})
      for (Port& port : *ports)
        if (port.dtype == ir::DType::f32) port.dtype = ir::DType::f16;
  }
  if (!options.nan.empty()) graph.attributes[ops::kNanOption] = options.nan;
  graph.attributes[target::kProcessor] = options.processor;
  if (options.check) graph.attributes[nnef::kOriginsOption] = true;
  Exported out{to_nnef(graph, options.target, options.passes, options.report), {}};
  nnef::Document& document = out.document;
  out.inputs = resolve_unused_inputs(options, graph, document, result);
  rename_ports(options.names, document, result);
  if (result.compression) {
    name_losses(result);
    spec::add_property(document, spec::kCompressed, "yes");
    if (result.floats) spec::add_property(document, spec::kFloat, float_property(options.floats));
  }
  if (const std::string text = option_text(options); !text.empty())
    spec::add_property(document, spec::kOptions, text);
  for (const auto& [key, value] : options.metadata) spec::add_property(document, key, value);
  if (options.is_causal_lm) require_caches(document);
  result.operations = count_operations(document);
  result.needs = nnef::registries(document);
  return out;
}

/// Checks the written artefact. Throws if it is wrong.
void check_written(const Exported& exported, const fs::path& artefact, const SourceModel& model,
                   const ExportOptions& options, const FoundEngine& engine, ExportResult& result) {
  CheckOptions check = *options.check;
  check.scratch = engine.scratch->path();
  check.observe = [&](const InputSet& set, const std::vector<ir::Tensor>* results) {
    if (results == nullptr) options.progress.detail(set.name);
    if (options.debug_bundle)
      options.debug_bundle->add_set(set, port_names(result.outputs), results);
  };
  check.localiser = localise::localiser({.when = check.localise});
  ArtefactInputs accepted = artefact_inputs_of(exported.document);
  accepted.indices = exported.inputs;
  result.checked = check_artefact({model, std::move(accepted), port_names(result.outputs), check,
                                   *engine.runner, engine_request_for(options.target).dialect,
                                   artefact.string(), options.target.stream,
                                   stream_properties(exported.document), &exported.document});
  judge(result.checked, *options.check,
        {"; nothing was written",
         "`t2nnef reduce` with the same options writes the smallest part that differs"},
        options.report);
  const check::WeightBytes weights = check::weight_bytes(exported.document);
  if (weights.weights > 0 && result.checked.loaded_bytes)
    result.packed =
        check::packed_text(weights, *result.checked.loaded_bytes, result.checked.engine);
}

/// The same options, whose passes are shown while they run, and recorded.
ExportOptions observed(ExportOptions options) {
  options.passes.observe = [progress = options.progress, bundle = options.debug_bundle](
                               std::string_view pass, const ir::Graph& graph) {
    progress.detail(pass);
    if (bundle) bundle->add_graph(pass, graph);
  };
  return options;
}

/// The traced model, in the steps `names` and `trace`.
TracedModel named_and_traced(const LoadedModel& loaded, ExportOptions& options) {
  options.progress.end(summary_of_inputs(loaded));
  options.begin("names");
  if (options.debug_bundle && !needs_ranges(loaded.samples))
    options.debug_bundle->add_samples(fill(loaded.samples, 0));
  options = with_preset(loaded, options);
  options.progress.end(summary_of_names(loaded.info));
  options.begin("trace");
  TracedModel model = traced_model(loaded, options);
  options.progress.end(summary_of_trace(model.traced.graph));
  if (options.debug_bundle) options.debug_bundle->add_trace(model);
  options = observed(std::move(options));
  return model;
}

std::optional<CompressedModel> compressed_model(const TracedModel& model,
                                                const ExportOptions& options,
                                                ExportResult& result) {
  const auto compress = with_model_settings(options.compress, model.info);
  if (!compress && !options.floats.is_half) return std::nullopt;
  if (compress && options.floats.is_half)
    throw Error("usage", "--float and compression settings cannot be combined", {},
                "export with one of them");
  options.begin("compress");
  CompressedModel out;
  if (compress) {
    out = compress_model(model, *compress, options.target, options.passes, options.report);
  } else {
    HalfModel half =
        half_model(model, options.floats, options.target, options.passes, options.report);
    result.floats = half.floats;
    out = std::move(half);
  }
  result.compression = out.cost;
  options.progress.end(summary_of_compression(out.cost));
  return out;
}

/// Writes the artefact, which stays pending, and returns its temporary path.
fs::path write_pending(const Exported& exported, const ExportOptions& options,
                       nnef::PendingGroup& artefacts, size_t number, ExportResult& result) {
  options.begin("write");
  if (options.debug_bundle) options.debug_bundle->add_artefact(exported.document);
  std::error_code ignored;
  result.replaces = result.path != "-" && fs::exists(result.path, ignored);
  const nnef::PendingGroup::Written written = artefacts.add(exported.document, number);
  result.bytes = size_on_disk(written.path);
  result.shared_bytes = written.shared_bytes;
  options.progress.end(summary_of_files(exported.document, result));
  return written.path;
}

/// Exports a traced method; the artefact stays pending until all are complete.
void export_traced(const TracedModel& model, const ExportOptions& options,
                   const FoundEngine& engine, nnef::PendingGroup& artefacts, size_t number,
                   ExportResult& result) {
  const std::optional<CompressedModel> compressed = compressed_model(model, options, result);
  const SourceModel source = source_model(model, compressed ? &*compressed : nullptr);
  options.begin("translate");
  Exported exported = document_of(source.graph, options, result);
  spec::add_states(exported.document, first_states(model, result, exported.document.graph));
  options.progress.end(summary_of_translation(exported.document));
  const fs::path path = write_pending(exported, options, artefacts, number, result);
  if (options.check) {
    options.begin("check");
    check_written(exported, path, source, options, engine, result);
    if (compressed) result.compression->speed = compared_speed(model, path, options, engine);
    options.progress.end(summary_of_check(result.checked));
  }
  verify_file(model, true);
}

/// The result of one method, which on_result receives even if it fails.
ExportResult export_one(const LoadedModel& loaded, ExportOptions options, const FoundEngine& engine,
                        nnef::PendingGroup& artefacts, size_t number) {
  const TracedModel model = named_and_traced(loaded, options);
  ExportResult result = described(model, options);
  const auto tell = [&] {
    if (options.on_result) options.on_result(result);
  };
  try {
    export_traced(model, options, engine, artefacts, number, result);
  } catch (const Error&) {
    tell();
    throw;
  }
  tell();
  return result;
}

/// Call it before loading a model, which confines the process.
void allow_reads(const std::vector<ExportOptions>& methods) {
  for (const ExportOptions& options : methods) {
    if (options.compress) may_read(*options.compress);
    for (const Sample& sample : options.samples)
      if (!sample.file.empty()) confine::may_read(sample.file);
  }
}

/// The model of a method; `first` is used if it has a value.
LoadedModel loaded_model(const ExportOptions& options, std::optional<LoadedModel> first = {},
                         const std::string& method_folder = {}) {
  if (options.debug_bundle) options.debug_bundle->begin_method(method_folder);
  if (options.is_causal_lm) require_preset(options);
  options.begin("inputs");
  LoadedModel out = first ? *std::move(first) : loaded_or_refused(options, options.target);
  if (target::streams(options.target))
    require_stream(options.target, out.graph ? axes_of(*out.graph)
                                             : with_declared_axes(out, options.dynamic, {}).axes);
  return out;
}

/// The first method's model. Refuses a missing method before any method is exported.
LoadedModel first_model(const std::vector<ExportOptions>& methods) {
  LoadedModel out = loaded_or_refused(methods[0], methods[0].target);
  const std::vector<std::string>& known = out.info.methods;
  for (const ExportOptions& options : methods)
    if (std::find(known.begin(), known.end(), options.method) == known.end()) load_model(options);
  return out;
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
  options.progress.on_begin = [progress = options.progress,
                               method = options.method](std::string_view step) {
    progress.begin(cat(method, ": ", step));
  };
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
  if (methods.size() == 1)
    return {export_one(loaded_model(methods[0]), methods[0], engine, artefacts, 0)};
  std::vector<ExportResult> out;
  std::optional<LoadedModel> first = first_model(methods);
  std::optional<Error> failure;
  for (size_t i = 0; i < methods.size(); ++i) {
    const ExportOptions options = reporting(methods[i]);
    try {
      const LoadedModel model =
          loaded_model(options, std::exchange(first, std::nullopt), options.method);
      out.push_back(export_one(model, options, engine, artefacts, i));
    } catch (const Error& error) {
      if (!concerns_one_method(error.code())) throw;
      if (failure && methods[i].report) methods[i].report(failure->diagnostic());
      if (options.report)
        for (const Diagnostic& other : error.others()) options.report(other);
      failure.emplace(with_method(error.diagnostic(), methods[i]));
    }
  }
  if (failure) throw Error(*failure);
  return out;
}

}  // namespace

std::vector<ExportResult> export_methods(const std::vector<ExportOptions>& methods) {
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
  const std::optional<DryGroup> dry =
      first.dry_run ? std::optional(dry_group(group)) : std::nullopt;
  const nnef::Group& destinations = dry ? dry->group : group;
  spill_next_to(destinations.folder ? *destinations.folder : destinations.each.at(0));
  nnef::PendingGroup artefacts(destinations);
  std::vector<ExportResult> results = export_all(methods, engine, artefacts);
  if (!first.dry_run) artefacts.commit();
  first.begin("done");
  return results;
}

}  // namespace t2n
