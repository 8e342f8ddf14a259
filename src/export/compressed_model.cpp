// SPDX-License-Identifier: Apache-2.0
#include "src/export/compressed_model.h"

#include <algorithm>
#include <optional>

#include "src/compress/explain/folded_modules.h"
#include "src/compress/explain/lint.h"
#include "src/compress/explain/slow_weights.h"
#include "src/compress/layer_table.h"
#include "src/compress/round/q4_0.h"
#include "src/compress/round/quantise_q4_0.h"
#include "src/diag/error.h"
#include "src/export/pass_table.h"
#include "src/export/stages.h"
#include "src/nnef/npy.h"
#include "src/passes/layers.h"
#include "src/passes/passes.h"
#include "src/samples/samples_at.h"

namespace t2n {
namespace {

/// Values of the graph's inputs: the samples, varied by a seed.
std::vector<ir::Tensor> sample_batch(const TracedModel& model, uint64_t seed) {
  std::vector<ir::Tensor> out = values_of(fill(model.samples, seed), model.inputs);
  for (ir::Tensor& tensor : out) tensor = ir::as_pairs(tensor);
  return out;
}

std::vector<int64_t> read_labels(const std::string& path) {
  if (path.empty()) return {};
  const ir::Tensor labels = nnef::read_npy(std::filesystem::path(path));
  if (!ir::is_integer(labels.dtype))
    throw Error("calibration",
                cat(quoted(path), " holds ", ir::dtype_name(labels.dtype), ", not integers"), {},
                "store the class index of each row of the calibration set, in its order");
  return ir::to_i64(labels);
}

class Compressor {
 public:
  Compressor(const TracedModel& model, const CompressOptions& options, const target::Target& target,
             const passes::PipelineOptions& passes, const Report& report)
      : model_(model),
        options_(options),
        compression_(options, model.samples),
        target_(target),
        passes_(passes),
        context_(pass_context(target, report)) {
    compression_.enter(context_);
    context_.reads_packed = compress::reads_q4_0(target);
  }

  CompressedModel run() {
    ir::Graph graph = model_.traced.graph;
    labels_ = read_labels(options_.labels);
    passes::run_pipeline(graph, passes::pipeline(passes::Pipeline::attention), context_, passes_);
    compression_.settings().require_matches(graph);
    const ir::Graph original = graph;
    passes::run_pipeline(graph, passes::pipeline(passes::Pipeline::preparation), context_, passes_);
    compress::report_folded(original, graph, compression_.settings(), context_.report);
    require_classes(graph);
    require_supported(graph);
    std::vector<compress::ExistingQParam> existing =
        compress::existing_qparams(graph, compression_.settings());
    const ir::Graph before = graph;
    std::optional<SearchResult> search;
    if (options_.has_goal()) search = search_in(before);
    CompressedGraph result =
        compressed(before, search ? search->entries : std::vector<compress::SettingsEntry>(),
                   context_, passes_);
    constexpr size_t kMostFindings = 5;
    if (!passes_.is_disabled("lint-quantisation")) {
      compress::report_findings(compress::lint(result.stored, context_), context_.report,
                                kMostFindings);
      passes::PassContext silent = context_;  // for --print-after
      silent.report = {};
      passes::run_pipeline(result.stored, {"lint-quantisation"}, silent, passes_);
    }
    compress::warn_slow(result.stored, context_.report);
    Compression out = measure(before, result);
    out.unquantised = compress::unquantised_weights(before, result.stored, compression_.settings());
    out.activations_in_floats = compress::activations_in_floats(before, compression_.settings());
    out.existing = std::move(existing);
    out.search = std::move(search);
    return {std::move(result.after), std::move(out)};
  }

 private:
  CompressedGraph compressed(const ir::Graph& before,
                             const std::vector<compress::SettingsEntry>& more,
                             const passes::PassContext& context,
                             const passes::PipelineOptions& passes) {
    compression_.add(more);
    ir::Graph graph = before;
    passes::run_pipeline(graph, passes::pipeline(passes::Pipeline::quantisation), context, passes);
    compress::keep_weight_names(before, graph);
    CompressedGraph out = {graph, {}};
    passes::run_pipeline(graph, {"expand-quantised"}, context, passes);
    out.after = std::move(graph);
    return out;
  }

  /// Candidates of the search report and print nothing.
  SearchResult search_in(const ir::Graph& before) {
    passes::PassContext silent = context_;
    silent.report = {};
    passes::PipelineOptions unprinted = passes_;
    unprinted.print = {};
    const SearchTools tools = {
        [&](const std::vector<compress::SettingsEntry>& more) {
          return compressed(before, more, silent, unprinted);
        },
        [&](const std::function<void(const LossBatch&)>& use) { each_batch(before, use); },
        labels_,
        [this](const ir::Node& node) {
          return context_.native.contains(ir::op_id(compress::kDequantise)) &&
                 (!context_.reads_packed || context_.reads_packed(node));
        },
        context_.evaluate,
        storage()};
    return search_compression(before, compression_.settings(), options_.goal, tools);
  }

  /// Checks, before any run, that labels are indices along the last axis of the first output.
  void require_classes(const ir::Graph& graph) const {
    if (labels_.empty() || graph.outputs.empty()) return;
    const ir::Shape& shape = graph.values[graph.outputs[0]].shape;
    if (shape.empty() || !shape.back().is_constant()) return;
    const int64_t classes = shape.back().value();
    const auto bad = std::find_if(labels_.begin(), labels_.end(),
                                  [&](int64_t label) { return label < 0 || label >= classes; });
    if (bad == labels_.end()) return;
    throw Error("calibration",
                cat("the label ", *bad, " at index ", bad - labels_.begin(), " of ",
                    quoted(options_.labels), " is not a class of the output ",
                    quoted(graph.output_names.at(0))),
                cat("its last axis has ", classes, " classes, counted from 0"),
                "store the class index of each row");
  }

  /// Refuses, before any run, formats that the target lacks.
  void require_supported(const ir::Graph& graph) const {
    const std::vector<bool> known = passes::known_values(graph);
    for (const ir::Node& node : graph.nodes) {
      const compress::NodeSettings node_settings = compression_.settings().of(graph, node);
      if (!node_settings.weights || !passes::layer_of(graph, node, known)) continue;
      const bool is_strict = target_.engine == target::Engine::khronos;
      std::string why;
      if (node_settings.weights->format == compress::Format::q4_0 &&
          !context_.native.contains(ir::op_id(compress::kDequantise)))
        why = is_strict ? "strict NNEF has no blocks of 4 bits"
                        : cat("tract reads Q4_0 from ",
                              target::version_str(target::feature_row(target::Feature::q4_0).since),
                              " on");
      if (node_settings.weights->format == compress::Format::f16 && is_strict)
        why = "strict NNEF has one scalar type, which is stored in 32 bits";
      if (why.empty()) continue;
      throw Error(
          {.id = "unsupported-argument",
           .message = cat("weights in ", is_q4(node_settings) ? "Q4_0" : "floats of 16 bits",
                          " cannot be written for ", target::target_name(target_)),
           .where = {ir::node_where(graph, node)},
           .why = why,
           .help = "use --compress int8-weights"});
    }
  }

  static bool is_q4(const compress::NodeSettings& settings) {
    return settings.weights->format == compress::Format::q4_0;
  }

  compress::Storage storage() const {
    return target_.engine == target::Engine::tract ? compress::Storage::bit_fields
                                                   : compress::Storage::bytes;
  }

  /// Iterates over the calibration set, or over the samples and variations of them.
  void each_batch(const ir::Graph& before, const std::function<void(const LossBatch&)>& use) {
    if (std::optional<CalibrationSet>& set = compression_.set_for(before)) {
      set->rewind();
      for (auto batch = set->next(); !batch.empty(); batch = set->next())
        use({batch, set->sizes_of(batch), set->filled()});
    } else {
      constexpr uint64_t kSeeds = 2;
      for (uint64_t seed = 0; seed < kSeeds; ++seed) use({sample_batch(model_, seed), {}, 0});
    }
  }

  Compression measure(const ir::Graph& before, const CompressedGraph& result) {
    Compression out;
    compress::LossMeter meter(before, result.stored, result.after, context_.evaluate, storage());
    each_batch(before, [&](const LossBatch& batch) {
      const ir::Graph first = passes::at_sizes(before, batch.sizes);
      meter.add(first, passes::at_sizes(result.after, batch.sizes), batch.inputs,
                judged(batch, labels_));
      ++out.batches;
    });
    out.is_pruned = compression_.settings().requests_pruning();
    out.is_calibrated = compression_.set_for(before).has_value();
    out.layers = meter.layers();
    out.outputs = meter.outputs();
    if (!out.outputs.empty()) compress::require_labels(out.outputs[0], labels_);
    return out;
  }

  const TracedModel& model_;
  const CompressOptions& options_;
  CompressionContext compression_;
  const target::Target& target_;
  const passes::PipelineOptions& passes_;
  passes::PassContext context_;
  std::vector<int64_t> labels_;
};

}  // namespace

CompressedModel compress_model(const TracedModel& model, const CompressOptions& options,
                               const target::Target& target, const passes::PipelineOptions& passes,
                               const Report& report) {
  return Compressor(model, options, target, passes, report).run();
}

}  // namespace t2n
