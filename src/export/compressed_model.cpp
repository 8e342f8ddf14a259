#include "src/export/compressed_model.h"

#include <optional>

#include "ops/all.h"
#include "src/compress/layer_table.h"
#include "src/diag/error.h"
#include "src/export/graph_yardstick.h"
#include "src/export/torch_module.h"
#include "src/nnef_reader/npy.h"
#include "src/translate/registry.h"

namespace t2n {
namespace {

/// Before settings are looked at: weights are constants, sizes numbers where nobody left them open.
const std::vector<std::string> kPrepare = {"bind-sizes", "dead-code", "fold-constants"};
const std::vector<std::string> kInsert = {"insert-observers"};
const std::vector<std::string> kQuantise = {"calculate-qparams", "insert-fake-quant",
                                            "quantise-constants", "fold-constants"};

/// Values of the graph's inputs on samples of a seed.
std::vector<ir::Tensor> sample_batch(const TracedModel& model, uint64_t seed) {
  return graph_inputs(fill(model.samples, seed), model);
}

std::vector<int64_t> read_labels(const std::string& path) {
  if (path.empty()) return {};
  const ir::Tensor labels = nnef::read_npy(std::filesystem::path(path));
  if (!ir::is_integer(labels.dtype))
    throw Error("calibration",
                cat(quoted(path), " holds ", ir::dtype_name(labels.dtype), ", not integers"), {},
                "give the right index for each row of the calibration set, in its order");
  return ir::to_i64(labels);
}

class Compressor {
 public:
  Compressor(TracedModel& model, const CompressOptions& options, const target::Target& target,
             const Report& report)
      : model_(model), options_(options), compression_(options, model.samples), target_(target) {
    context_.evaluate = torch_module().evaluator();
    context_.keeps_symbol = [](const ir::Symbol&) { return true; };
    context_.is_native = [&target](ir::OpId op) {
      return ops::registry().variant(op, target) != nullptr;
    };
    compression_.enter(context_);
    context_.report = report;
  }

  Compression run() {
    ir::Graph& graph = model_.traced.graph;
    labels_ = read_labels(options_.labels);
    passes::run_pipeline(graph, kPrepare, context_);
    compression_.settings().require_matches(graph);
    const ir::Graph before = graph;
    passes::run_pipeline(graph, kInsert, context_);
    passes::run_pipeline(graph, kQuantise, context_);
    compress::keep_weight_names(before, graph);
    const ir::Graph stored = graph;
    passes::run_pipeline(graph, {"expand-quantised"}, context_);
    model_.is_compressed = true;
    return measure(before, stored, graph);
  }

 private:
  /// Over the calibration set, else over the samples and others like them.
  Compression measure(const ir::Graph& before, const ir::Graph& stored, const ir::Graph& after) {
    Compression out;
    compress::LossMeter meter(before, stored, after, context_.evaluate);
    size_t row = 0;
    const auto add = [&](const std::vector<ir::Tensor>& batch, const dynamic::Sizes& sizes) {
      std::vector<int64_t> labels;
      const ir::Graph first = at_sizes(before, sizes);
      const auto rows =
          static_cast<size_t>(batch.empty() || batch[0].shape.empty() ? 1 : batch[0].shape[0]);
      for (size_t i = 0; i < rows && row < labels_.size(); ++i) labels.push_back(labels_[row++]);
      meter.add(first, at_sizes(after, sizes), batch, labels);
      ++out.batches;
    };
    std::optional<CalibrationSet>& set = compression_.set_for(before);
    out.is_calibrated = set.has_value();
    if (set) {
      for (auto batch = set->next(); !batch.empty(); batch = set->next())
        add(batch, set->sizes_of(batch));
    } else {
      constexpr uint64_t kSeeds = 2;
      for (uint64_t seed = 0; seed < kSeeds; ++seed) add(sample_batch(model_, seed), {});
    }
    out.layers = meter.layers();
    out.outputs = meter.outputs();
    return out;
  }

  TracedModel& model_;
  const CompressOptions& options_;
  CompressionContext compression_;
  const target::Target& target_;
  passes::PassContext context_;
  std::vector<int64_t> labels_;
};

}  // namespace

Compression compress_model(TracedModel& model, const CompressOptions& options,
                           const target::Target& target, const Report& report) {
  return Compressor(model, options, target, report).run();
}

}  // namespace t2n
