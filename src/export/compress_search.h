// SPDX-License-Identifier: Apache-2.0
// Chooses the layers to compress under --max-loss and --budget, by src/compress/settings/search.h.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ir/evaluator.h"
#include "src/compress/explain/loss.h"
#include "src/compress/settings/search.h"
#include "src/compress/settings/settings.h"

namespace t2n {

/// Inputs for measuring the loss.
struct LossBatch {
  std::vector<ir::Tensor> inputs;
  ir::Sizes sizes;
  int64_t filled = 0;  ///< rows at the end of axis 0 that repeat the start of the set
};

compress::BatchRows judged(const LossBatch& batch, const std::vector<int64_t>& labels);

/// A compressed graph as it is stored, and expanded to plain operations, which can run.
struct CompressedGraph {
  ir::Graph stored;
  ir::Graph after;
};

/// What the search needs from its caller.
struct SearchTools {
  /// The graph compressed by the settings and these entries.
  std::function<CompressedGraph(const std::vector<compress::SettingsEntry>& more)> compress;
  std::function<void(const std::function<void(const LossBatch&)>& use)> each_batch;
  /// Correct indices along the last axis of the first output, for all rows; empty: unknown.
  const std::vector<int64_t>& labels;
  /// Whether the target reads the weights of an operation in Q4_0.
  std::function<bool(const ir::Node&)> can_pack;
  ir::Evaluator evaluate;
  compress::Storage storage = compress::Storage::bytes;
};

/// What a percentage of loss refers to.
enum class LossMeasure {
  accuracy,  ///< correct rows, among those with labels
  top1,      ///< rows whose largest element changed
  noise,     ///< the power of the differences, relative to the output's
};
std::string_view measure_name(LossMeasure measure);

/// Layers that are compressed only together because they share weights; usually one.
struct ChosenLayers {
  std::vector<std::string> addresses;
  std::vector<std::string> modules;
  compress::Form form = compress::Form::floats;
  std::optional<compress::SingleLayerCost> alone;  ///< measured with no other layer compressed
};

struct SearchResult {
  compress::Goal goal;
  LossMeasure measure = LossMeasure::noise;
  compress::Loss loss;  ///< of the choice
  int64_t bytes = 0;    ///< of all constants
  int64_t bytes_of_floats = 0;
  std::vector<ChosenLayers> layers;
  size_t tried = 0;                              ///< choices whose loss was measured
  std::vector<compress::SettingsEntry> entries;  ///< express the choice
};

/// `before`: prepared for the settings.   Errors: `compression-goal`.
SearchResult search_compression(const ir::Graph& before, const compress::Settings& settings,
                                const compress::Goal& goal, const SearchTools& tools);

}  // namespace t2n
