// SPDX-License-Identifier: Apache-2.0
// The graph comes from a trace or from a file.
#include "src/export/opt.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "nnef_writer/archive.h"
#include "ops/all.h"
#include "src/compress/explain/unquantised_weights.h"
#include "src/confine/confine.h"
#include "src/diag/error.h"
#include "src/diag/one_of.h"
#include "src/export/all_refusals.h"
#include "src/export/declared_axes.h"
#include "src/export/destinations.h"
#include "src/export/graph_file.h"
#include "src/export/graph_model.h"
#include "src/export/pass_order.h"
#include "src/export/pass_table.h"
#include "src/export/signature.h"
#include "src/export/stages.h"
#include "src/model/torch_module.h"
#include "src/samples/samples_at.h"
#include "src/translate/integer_range.h"
#include "src/translate/registry.h"
#include "src/translate/translate.h"

namespace t2n {
namespace {

/// A graph, and values for its inputs.
struct Subject {
  ir::Graph graph;
  std::vector<Sample> samples;
  std::optional<TracedModel> model;  ///< nothing for a graph that was read as text
};

bool writes_artefact(const OptOptions& options) {
  return !options.model.output.empty() && !is_graph_file(options.model.output);
}

Subject traced_subject(const OptOptions& options) {
  ExportOptions model = options.model;
  model.begin("load");
  const LoadedModel loaded = loaded_or_refused(model, model.target);
  model.dynamic = axes_for_target(loaded, std::move(model.dynamic), model.target, model.report);
  model.begin("trace");
  Subject out;
  const RefusedBy by = writes_artefact(options) ? RefusedBy::translation : RefusedBy::trace;
  out.model = traced_or_refused(loaded, model, by, [&] { return trace_model(loaded, model); });
  const bool has_quantised = out.model->traced.with_quantised && model.dynamic.axes.empty();
  out.graph = has_quantised ? *out.model->traced.with_quantised : out.model->traced.graph;
  const auto& attributes = out.model->traced.graph.attributes;
  if (const auto ranges = attributes.find(ops::kInputRanges); ranges != attributes.end())
    out.graph.attributes.insert(*ranges);
  out.samples = out.model->samples;
  return out;
}

bool needs_torch(const OptOptions& options) {
  return options.verifies || options.bisects || !options.pipeline.empty() ||
         writes_artefact(options);
}

Subject read_subject(const OptOptions& options) {
  Subject out;
  options.model.begin("load");
  out.graph = read_graph_file(options.model.model);
  if (options.verifies || options.bisects)
    out.samples = samples_for(out.graph, options.model.samples);
  if (needs_torch(options)) {
    torch_module();  // loads its libraries while everything may still be read
    confine::enter_if_armed();
  }
  return out;
}

StepOptions step_options(const OptOptions& options, const Subject& subject) {
  StepOptions out;
  out.passes = options.model.passes;
  out.tolerance = options.tolerance;
  out.against_first = options.bisects;
  if (!options.verifies && !options.bisects) return out;
  require_loaded(subject.graph, "the graph cannot be run");
  auto inputs = std::make_shared<std::vector<std::vector<trace::SampleInput>>>();
  for (const auto& [name, seed] : {std::pair("the samples", 0), {"all changed", 1}}) {
    inputs->push_back(fill(subject.samples, static_cast<uint64_t>(seed)));
    out.sets.push_back({name, values_of(inputs->back(), ir::input_names(subject.graph))});
  }
  if (subject.model)
    out.model = [inputs, session = subject.model->session](size_t set) {
      return torch_module().run(*session, (*inputs)[set]);
    };
  return out;
}

nnef::Destination opt_destination(const OptOptions& options) {
  const std::string& output = options.model.output;
  nnef::Destination out =
      writes_artefact(options) ? nnef::parse_destination(output) : nnef::file_destination(output);
  out.level = options.model.compression;
  out.taken = options.model.taken;
  for (nnef::Taken& taken : model_files(options.model.model)) out.taken.push_back(std::move(taken));
  return out;
}

void write_artefact(const OptOptions& options, const Subject& subject, OptResult& result,
                    ExportResult& ports) {
  options.model.begin("translate");
  nnef::Document document =
      ops::translate(result.graph, options.model.target, options.model.report, ops::registry());
  resolve_unused_inputs(options.model, result.graph, document, ports);
  options.model.begin("write");
  nnef::PendingArtefact artefact = nnef::write_artefact(document, opt_destination(options));
  if (subject.model) verify_file(*subject.model, true);
  result.bytes = size_on_disk(artefact.path());
  artefact.commit();
}

void write(const OptOptions& options, const Subject& subject, OptResult& result,
           ExportResult& ports) {
  if (options.model.output.empty()) return;
  if (writes_artefact(options)) {
    write_artefact(options, subject, result, ports);
  } else {
    options.model.begin("write");
    if (subject.model) verify_file(*subject.model, true);
    const WrittenGraph written = write_graph_file(result.graph, opt_destination(options));
    result.bytes = written.bytes;
    result.weights = written.weights;
  }
  result.path = options.model.output;
}

std::vector<passes::PassInfo> pipeline_of(const OptOptions& options) {
  std::vector<passes::PassInfo> out = options.pipeline;
  if (!writes_artefact(options)) return out;
  for (const passes::PassInfo& pass :
       passes::find_passes(passes::pipeline(passes::Pipeline::translation)))
    out.push_back(pass);
  return out;
}

template <size_t N>
bool has_any(const OptOptions& options, const std::array<std::string_view, N>& names) {
  return std::any_of(options.pipeline.begin(), options.pipeline.end(),
                     [&](const passes::PassInfo& pass) { return is_one_of(pass.name, names); });
}

/// Whether a pass changes what settings request.
bool any_uses_settings(const OptOptions& options) {
  return has_any<4>(options,
                    {"insert-compression", "insert-observers", "prune-weights", "quantise-q4_0"});
}

/// Whether a pass reads settings in a graph that others prepared.
bool any_reads_settings(const OptOptions& options) {
  return any_uses_settings(options) ||
         has_any<4>(options, {"calculate-qparams", "compensate-rounding", "correct-bias",
                              "lint-quantisation"});
}

void refuse_unused_settings(const OptOptions& options) {
  if (!options.compress) return;
  if (!options.compress->has_settings &&
      !has_any<2>(options, {"calculate-qparams", "lint-quantisation"}))
    throw Error("usage", "--calibrate has no effect: no pass of the pipeline uses it alone",
                "calculate-qparams and lint-quantisation do; compensate-rounding and correct-bias "
                "also need settings",
                "add one of these passes, or --compress");
  if (any_reads_settings(options)) return;
  throw Error("usage", "--compress has no effect: no pass of the pipeline uses its settings", {},
              "add --passes default, which runs the compression passes first, or "
              "insert-compression and the passes listed in docs/compression.md");
}

void refuse_unprinted(const OptOptions& options) {
  const std::string& name = options.model.passes.print_after;
  if (name.empty() || name == "all") return;
  const std::vector<passes::PassInfo> pipeline = pipeline_of(options);
  if (std::none_of(pipeline.begin(), pipeline.end(),
                   [&](const passes::PassInfo& pass) { return pass.name == name; }))
    throw Error("usage", cat("--print-after ", quoted(name), ": the pipeline has no such pass"), {},
                "add it to --passes");
}

/// The settings of the command and of the model.
std::optional<CompressOptions> settings_of(const OptOptions& options, const Subject& subject) {
  if (!subject.model || !any_reads_settings(options)) return options.compress;
  return with_model_settings(options.compress, subject.model->info);
}

/// Warns of weights that stayed floats despite the settings. Settings apply to constants that
/// layers read directly: views and formulas must be folded first (`fold-constants`).
void warn_unquantised(const ir::Graph& before, const ir::Graph& after,
                      const compress::Settings& settings, const Report& report) {
  const std::vector<compress::UnquantisedWeight> weights =
      compress::unquantised_weights(before, after, settings);
  std::vector<std::string> details;
  for (const compress::UnquantisedWeight& each : weights)
    details.push_back(cat(each.name, ": ", each.why));
  warn_of(report, "weight-not-compressed", details,
          cat(weights.size(), weights.size() == 1 ? " weight is" : " weights are",
              " left in floats, although settings compress them"),
          "run expand-attention, fold-constants, fold-batch-norm and lift-weights first, or "
          "exclude these modules with --ignore");
}

}  // namespace

OptResult optimise(const OptOptions& options) {
  refuse_unused_settings(options);
  require_order(options.pipeline);
  refuse_unprinted(options);
  if (writes_artefact(options))
    nnef::check_destination(opt_destination(options));
  else if (!options.model.output.empty())
    check_graph_destination(opt_destination(options));
  if (options.compress) may_read(*options.compress);
  if (!options.model.output.empty()) spill_next_to(opt_destination(options));
  Subject subject =
      is_graph_file(options.model.model) ? read_subject(options) : traced_subject(options);
  if (writes_artefact(options)) require_loaded(subject.graph, "the graph cannot be translated");
  ExportResult ports;
  list_ports(subject.graph, ports);
  if (writes_artefact(options)) note_pairs(ports, options.model.report);

  OptResult out;
  if (subject.model) out.info = subject.model->info;
  require_scales(subject.graph, options.pipeline);
  const StepOptions steps = step_options(options, subject);
  options.model.begin("passes");
  out.graph = std::move(subject.graph);
  const std::vector<passes::PassInfo> pipeline = pipeline_of(options);
  passes::PassContext context;
  context.operators = &ops::registry().table();
  if (needs_torch(options)) context = pass_context(options.model.target, options.model.report);
  const std::optional<CompressOptions> compress = settings_of(options, subject);
  std::optional<CompressionContext> compression;
  if (compress) compression.emplace(*compress, subject.samples).enter(context);
  ir::Graph before;  // with the modules of fused layers
  const bool has_settings = compress && compress->has_settings;
  if (has_settings) {
    before = out.graph;
    passes::run_pipeline(before, passes::pipeline(passes::Pipeline::attention), context);
    compression->settings().require_matches(before);
  }
  out.steps = run_steps(out.graph, pipeline, context, steps);
  if (has_settings && any_uses_settings(options))
    warn_unquantised(before, out.graph, compression->settings(), options.model.report);
  if (out.steps.faulty() == nullptr) write(options, subject, out, ports);
  options.model.begin("done");
  return out;
}

}  // namespace t2n
