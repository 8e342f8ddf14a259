// Calls the stages in order; other files define them.
#include "src/export/pipeline.h"

#include <algorithm>
#include <filesystem>

#include "nnef_writer/group.h"
#include "ops/all.h"
#include "src/check/packed_weights.h"
#include "src/confine/confine.h"
#include "src/diag/error.h"
#include "src/diag/headline.h"
#include "src/export/causal_lm.h"
#include "src/export/pass_table.h"
#include "src/export/signature.h"
#include "src/export/stages.h"
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
  passes::run_pipeline(graph, passes::pipeline(passes::Pipeline::standard),
                       pass_context(target, report), options);
}

/// Translates at fixed sizes. Errors: `unsupported-op` with all operators without a translation.
void refuse_untranslated(const LoadedModel& loaded, const ExportOptions& options) {
  TracedModel model = trace_at_one_size(loaded, options);
  to_nnef(model.traced.graph, options.target, options.passes, nullptr);
}

/// An operator without a translation has no shape rule either, so that its sizes are unknown. Then
/// reports the missing operator instead.
TracedModel traced_model(const LoadedModel& loaded, const ExportOptions& options) {
  try {
    TracedModel model = trace_to_export(loaded, options, [&](const TracedModel& traced) {
      return has_document(traced, options.target, options.passes);
    });
    if (options.is_causal_lm)
      for (dynamic::Sizes& sizes : client_lengths(*model.dynamic, options.dynamic.asserted))
        model.dynamic->chooser.require(std::move(sizes));
    return model;
  } catch (const Error& error) {
    if (error.diagnostic().id != "dynamic-size") throw;
    try {
      refuse_untranslated(loaded, options);
    } catch (const Error& at_one_size) {
      if (at_one_size.diagnostic().id == "unsupported-op") throw;
    }
    throw;
  }
}

/// Without samples, only describes the file; else passes the graph to `finish`.
Inspection inspect(const ExportOptions& options, const std::function<void(ir::Graph&)>& finish) {
  const LoadedModel loaded = load_model(options);
  Inspection out;
  out.model = loaded.info;
  TracedModel model;
  try {
    model = trace_model(loaded, options);
  } catch (const Error& error) {
    if (error.diagnostic().id != "input-missing") throw;
    return out;
  }
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
ExportOptions with_preset(const LoadedModel& loaded, const ExportOptions& options) {
  ExportOptions out = options;
  if (!options.is_causal_lm) return out;
  CausalLm preset = causal_lm(loaded, options);
  out.dynamic = std::move(preset.dynamic);
  out.names = std::move(preset.names);
  return out;
}

/// What an export says of a traced model before passes change its graph.
ExportResult described(const TracedModel& model, const ExportOptions& options) {
  ExportResult out;
  out.method = options.method;
  out.path = output_path(options);
  out.model = model.info;
  out.samples_from_file = model.samples_from_file;
  out.constant_inputs = model.traced.constant_inputs;
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
  for (const std::string& pass : options.passes.disabled) texts.push_back("disable-pass " + pass);
  return joined(texts, ", ");
}

/// The document of a traced model, and the indices of the model's inputs that it has.
struct Exported {
  nnef::Document document;
  std::vector<size_t> inputs;
};

Exported document_of(ir::Graph graph, const ExportOptions& options, ExportResult& result) {
  if (!options.nan.empty()) graph.attributes[ops::kNanOption] = options.nan;
  Exported out{to_nnef(graph, options.target, options.passes, options.report), {}};
  nnef::Document& document = out.document;
  out.inputs = resolve_unused_inputs(options, graph, document, result);
  rename_ports(options.names, document, result);
  if (result.compression) {
    name_losses(result);
    spec::add_property(document, spec::kCompressed, "yes");
  }
  if (const std::string text = option_text(options); !text.empty())
    spec::add_property(document, spec::kOptions, text);
  if (options.is_causal_lm) require_caches(document);
  result.operations = count_operations(document);
  return out;
}

/// Checks the written artefact. Throws if it is wrong.
void check_written(const Exported& exported, const fs::path& artefact, const SourceModel& model,
                   const ExportOptions& options, const FoundEngine& engine, ExportResult& result) {
  CheckOptions check = *options.check;
  check.scratch = engine.scratch->path();
  ArtefactInputs accepted = artefact_inputs_of(exported.document);
  accepted.indices = exported.inputs;
  result.checked =
      check_artefact({model, std::move(accepted), port_names(result.outputs), check, *engine.runner,
                      engine_request_for(options.target).dialect, artefact.string(),
                      options.target.stream, stream_properties(exported.document)});
  judge(result.checked, *options.check, "; nothing was written", options.report);
  const check::WeightBytes weights = check::weight_bytes(exported.document);
  if (weights.weights > 0 && result.checked.loaded_bytes)
    result.packed =
        check::packed_text(weights, *result.checked.loaded_bytes, result.checked.engine);
}

/// Exports one method; the artefact stays pending until all are complete.
ExportResult export_one(const LoadedModel& loaded, const ExportOptions& requested,
                        const FoundEngine& engine, nnef::PendingGroup& artefacts, size_t number) {
  requested.begin("trace");
  const ExportOptions options = with_preset(loaded, requested);
  const TracedModel model = traced_model(loaded, options);
  ExportResult result = described(model, options);
  std::optional<CompressedModel> compressed;
  if (const auto compress = with_model_settings(options.compress, model.info)) {
    requested.begin("compress");
    compressed = compress_model(model, *compress, options.target, options.passes, options.report);
    result.compression = compressed->cost;
  }
  const SourceModel source = source_model(model, compressed ? &*compressed : nullptr);
  requested.begin("passes");
  const Exported exported = document_of(source.graph, options, result);
  requested.begin("write");
  const nnef::PendingGroup::Written written = artefacts.add(exported.document, number);
  if (options.check) {
    requested.begin("check");
    check_written(exported, written.path, source, options, engine, result);
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

/// The model of a method; `first` is used if it has a value.
LoadedModel loaded_model(const ExportOptions& options, std::optional<LoadedModel> first = {}) {
  if (options.is_causal_lm) require_preset(options);
  options.begin("load");
  return first ? *std::move(first) : load_model(options);
}

/// The first method's model. Refuses a missing method before any method is exported.
LoadedModel first_model(const std::vector<ExportOptions>& methods) {
  LoadedModel out = load_model(methods[0]);
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
  if (methods.size() == 1)
    return {export_one(loaded_model(methods[0]), methods[0], engine, artefacts, 0)};
  std::vector<ExportResult> out;
  std::optional<LoadedModel> first = first_model(methods);
  std::optional<Error> failure;
  for (size_t i = 0; i < methods.size(); ++i) {
    const ExportOptions options = reporting(methods[i]);
    try {
      const LoadedModel model = loaded_model(options, std::exchange(first, std::nullopt));
      out.push_back(export_one(model, options, engine, artefacts, i));
    } catch (const Error& error) {
      if (!concerns_one_method(error.code())) throw;
      if (failure && methods[i].report) methods[i].report(failure->diagnostic());
      failure.emplace(with_method(error.diagnostic(), methods[i]));
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
  for (const ExportOptions& options : methods) require_stream(options.target, options.dynamic.axes);
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
  nnef::PendingGroup artefacts(group);
  std::vector<ExportResult> results = export_all(methods, engine, artefacts);
  artefacts.commit();
  first.begin("done");
  return results;
}

Inspection inspect_model(const ExportOptions& options) {
  return inspect(options, [](ir::Graph& graph) {
    passes::PassContext context;
    context.keeps_symbol = [](const ir::Symbol&) { return true; };
    context.evaluate = torch_module().evaluator();
    passes::run_pipeline(graph, passes::pipeline(passes::Pipeline::inspection), context, {});
  });
}

Inspection prepare_model(const ExportOptions& options) {
  return inspect(options,
                 [&](ir::Graph& graph) { run_passes(graph, options.target, options.passes, {}); });
}

}  // namespace t2n
