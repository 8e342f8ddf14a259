// SPDX-License-Identifier: Apache-2.0
#include "src/export/compression_context.h"

#include <utility>

#include "src/compress/calibrate/calibrate.h"
#include "src/compress/calibrate/clipping.h"
#include "src/compress/calibrate/moments.h"
#include "src/config/compression_settings.h"
#include "src/confine/confine.h"
#include "src/diag/error.h"
#include "src/passes/passes.h"

namespace t2n {

void may_read(const CompressOptions& options) {
  for (const std::string& spec : options.calibrate) confine::may_read(calibration_path(spec));
  if (!options.labels.empty()) confine::may_read(options.labels);
}

std::optional<CompressOptions> with_model_settings(const std::optional<CompressOptions>& options,
                                                   const trace::ModelInfo& model) {
  std::vector<compress::SettingsEntry> from_model;
  for (const auto& [path, text] : model.quant_params) {
    const std::string origin = cat("'quant_params' of ", path.empty() ? "the model" : quoted(path));
    for (compress::SettingsEntry& entry : config::read_module_settings(text, origin)) {
      if (!path.empty()) entry.scope = entry.scope.empty() ? path : cat(path, ".", entry.scope);
      entry.is_from_model = true;
      from_model.push_back(std::move(entry));
    }
  }
  if (!options && from_model.empty()) return std::nullopt;
  CompressOptions out = options.value_or(CompressOptions());
  if (!from_model.empty()) out.has_settings = true;
  out.entries.insert(out.entries.begin(), from_model.begin(), from_model.end());
  return out;
}

CompressionContext::CompressionContext(const CompressOptions& options, std::vector<Sample> samples)
    : options_(options), samples_(std::move(samples)), settings_(options.entries) {}

void CompressionContext::enter(passes::PassContext& context) {
  if (options_.has_settings) context.settings = &settings_;
  context.calibrate = [this, evaluate = context.evaluate](ir::Graph& graph) {
    calibrate(graph, evaluate);
  };
  if (!options_.calibrate.empty())
    context.clipped = [this, evaluate = context.evaluate](const ir::Graph& graph) {
      return clipped(graph, evaluate);
    };
}

void CompressionContext::add(std::vector<compress::SettingsEntry> more) {
  more.insert(more.begin(), options_.entries.begin(), options_.entries.end());
  settings_ = compress::Settings(std::move(more));
}

std::optional<CalibrationSet>& CompressionContext::set_for(const ir::Graph& graph) {
  const bool is_needed =
      compress::needs_calibration(graph) || compress::lacks_moments(graph, settings_);
  if (!set_ && (!options_.calibrate.empty() || is_needed))
    set_.emplace(graph, samples_, options_.calibrate);
  return set_;
}

void CompressionContext::calibrate(ir::Graph& graph, const ir::Evaluator& evaluate) {
  // Pruning changes what observers see, so each candidate needs its own calibration.
  const bool is_reused = options_.has_goal() && !settings_.requests_pruning();
  if (is_reused && seen_.recall(graph) && !compress::lacks_moments(graph, settings_)) return;
  CalibrationSet& set = *set_for(graph);
  set.rewind();
  compress::calibrate(
      graph, [&] { return set.next(); },
      [&](const std::vector<ir::Tensor>& batch) {
        return passes::at_sizes(graph, set.sizes_of(batch));
      },
      evaluate, compress::moment_requests(graph, settings_));
  set.rewind();
  if (is_reused) seen_.keep(graph);
}

std::map<std::string, double> CompressionContext::clipped(const ir::Graph& graph,
                                                          const ir::Evaluator& evaluate) {
  constexpr size_t kMostBatches = 16;
  CalibrationSet& set = *set_for(graph);
  size_t count = 0;
  auto out = compress::clipped_shares(
      graph, [&] { return count++ < kMostBatches ? set.next() : std::vector<ir::Tensor>(); },
      [&](const std::vector<ir::Tensor>& batch) {
        return passes::at_sizes(graph, set.sizes_of(batch));
      },
      evaluate);
  set.rewind();
  return out;
}

}  // namespace t2n
