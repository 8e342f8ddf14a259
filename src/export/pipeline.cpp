// Calls the stages in order; each stage is a function of another file.
#include "src/export/pipeline.h"

#include <algorithm>
#include <filesystem>

#include "nnef_writer/archive.h"
#include "ops/all.h"
#include "src/check/packed_weights.h"
#include "src/diag/error.h"
#include "src/export/causal_lm.h"
#include "src/export/signature.h"
#include "src/export/stages.h"
#include "src/export/states.h"
#include "src/export/stream.h"
#include "src/export/torch_module.h"
#include "src/passes/integer_products.h"
#include "src/quant/summary.h"
#include "src/target/integer_products.h"
#include "src/translate/registry.h"
#include "src/translate/translate.h"

namespace t2n {
namespace {

namespace fs = std::filesystem;

std::string default_output(const std::string& model) {
  return fs::path(model).stem().string() + ".nnef.tgz";
}

nnef::Destination destination_of(const ExportOptions& options) {
  nnef::Destination out = nnef::parse_destination(output_path(options));
  out.level = options.compression;
  out.taken = options.taken;
  out.taken.push_back({"the model", options.model, /*is_model=*/true});
  return out;
}

void add_dynamic(ExportResult& result, const dynamic::DynamicTrace& dynamic) {
  result.relations = dynamic.relations;
  result.relations.insert(result.relations.end(), dynamic.demands.begin(), dynamic.demands.end());
}

void run_passes(ir::Graph& graph, const target::Target& target,
                const passes::PipelineOptions& options, const Report& report) {
  if (const int64_t least = target::least_integer_products(target, target::Layer::linear))
    graph.attributes[passes::kLeastIntegerProducts] = least;
  passes::run_pipeline(graph, passes::default_pipeline(), pass_context(target, report), options);
}

/// Errors: `unsupported-op` with all operators without a translation, whatever the sizes.
void refuse_untranslated(const ExportOptions& options) {
  trace::TraceOptions quiet = trace_options(options);
  quiet.report = nullptr;
  TracedModel model =
      load_and_trace(options.model, options.method, options.samples, {}, quiet, [](auto) {});
  note_ranges(model, model.traced.graph);
  to_nnef(model.traced.graph, options.target, options.passes, nullptr);
}

/// If a size is unknown, its operator may lack a translation and therefore a shape rule: then the
/// missing operator is the better error.
TracedModel traced_model(const ExportOptions& options,
                         const std::function<void(std::string_view)>& progress) {
  try {
    return load_and_trace(options.model, options.method, options.samples, options.dynamic,
                          trace_options(options), progress);
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

/// Only what the file contains if samples are missing; else `finish` receives the graph.
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
  return static_cast<size_t>(std::count_if(document.graph.body.begin(), document.graph.body.end(),
                                           [](const nnef::Assignment& assignment) {
                                             const std::string& op = assignment.right.text;
                                             return op != "variable" && op != "external" &&
                                                    op != "tract_core_external";
                                           }));
}

/// The options with those that --preset adds.
ExportOptions with_preset(const ExportOptions& options) {
  ExportOptions out = options;
  if (!options.is_causal_lm) return out;
  CausalLm preset = causal_lm(options);
  out.dynamic = std::move(preset.dynamic);
  out.names = std::move(preset.names);
  return out;
}

/// Losses of outputs get the artefact's names.
void name_losses(ExportResult& result) {
  std::vector<compress::OutputLoss>& losses = result.compression->outputs;
  for (size_t i = 0; i < std::min(losses.size(), result.outputs.size()); ++i)
    losses[i].name = result.outputs[i].name;
}

/// Throws unless the artefact is correct.
void check_written(const nnef::Document& document, const nnef::PendingArtefact& artefact,
                   TracedModel& model, const ExportOptions& options, const FoundEngine& engine,
                   ExportResult& result) {
  const std::vector<std::string> names = port_names(result.outputs);
  result.checked =
      check_artefact(artefact.path().string(), model, names, *options.check, *engine.runner,
                     wanted_for(options.target).dialect, takes_of(document));
  if (target::streams(options.target))
    check_in_pulses(model, names, *options.check, *engine.runner, takes_of(document),
                    options.target.stream, stream_properties(document), result.checked);
  judge(result.checked, *options.check, "; nothing was written", options.report);
  const check::WeightBytes weights = check::weight_bytes(document);
  if (weights.weights > 0 && result.checked.loaded_bytes)
    result.packed =
        check::packed_text(weights, *result.checked.loaded_bytes, result.checked.engine);
}

}  // namespace

nnef::Document to_nnef(ir::Graph& graph, const target::Target& target,
                       const passes::PipelineOptions& options, const Report& report) {
  run_passes(graph, target, options, report);
  return ops::translate(graph, target, report, ops::registry());
}

std::string output_path(const ExportOptions& options) {
  return options.output.empty() ? default_output(options.model) : options.output;
}

ExportResult export_model(const ExportOptions& asked) {
  const auto progress = [&](std::string_view stage) {
    if (asked.progress) asked.progress(stage);
  };
  require_stream(asked.target, asked.dynamic);
  ExportResult result;
  result.path = output_path(asked);
  const nnef::Destination destination = destination_of(asked);
  nnef::check_destination(destination);
  // The engine is searched first, so that a missing one is noticed before the export.
  const Wanted wanted = wanted_for(asked.target);
  const FoundEngine engine =
      asked.check ? find_engine(asked.check->engine, wanted, asked.check->runner) : FoundEngine{};
  if (engine.warning && asked.report) asked.report(*engine.warning);

  if (asked.compress) may_read(*asked.compress);  // before anything is traced, which confines
  const ExportOptions options = with_preset(asked);
  TracedModel model = traced_model(options, progress);
  ir::Graph& graph = model.traced.graph;
  result.model = model.info;
  result.samples_from_file = model.samples_from_file;
  result.constant_inputs = model.traced.constant_inputs;
  list_ports(graph, result);
  if (const auto& quantised = model.traced.with_quantised)
    result.quantised_weights = quant::summarise(*quantised).weights;
  if (model.dynamic) add_dynamic(result, *model.dynamic);
  pair_states(model.traced, result);
  say_pairs(result, options.report);

  note_ranges(model, graph);
  if (const auto compress = with_own_settings(options.compress, model.info)) {
    progress("compress");
    result.compression = compress_model(model, *compress, options.target, options.report);
  }
  if (options.check) model.recorded = graph;
  progress("passes");
  nnef::Document document = to_nnef(graph, options.target, options.passes, options.report);
  settle_unused(options, graph, document, result);
  rename_ports(options.names, document, result);
  if (result.compression) name_losses(result);
  if (options.is_causal_lm) require_caches(document);
  result.operations = count_operations(document);
  progress("write");
  nnef::PendingArtefact artefact = nnef::write_artefact(document, destination);
  if (options.check) {
    progress("check");
    check_written(document, artefact, model, options, engine, result);
  }
  torch_module().verify(*model.session, true);
  result.bytes = size_on_disk(artefact.path());
  artefact.commit();
  progress("done");
  return result;
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
