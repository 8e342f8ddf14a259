// Which layers --max-loss and --budget compress: src/compress/search.h over a real model.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ir/evaluator.h"
#include "src/compress/loss.h"
#include "src/compress/search.h"
#include "src/compress/settings.h"

namespace t2n {

/// Inputs that the loss is measured with.
struct LossBatch {
  std::vector<ir::Tensor> inputs;
  ir::Sizes sizes;
  int64_t filled = 0;  ///< of axis 0, the last ones, which are of the set's start again
};

compress::Judged judged(const LossBatch& batch, const std::vector<int64_t>& labels);

/// A graph as it is stored, and the same in plain operations, which can be run.
struct CompressedGraph {
  ir::Graph stored;
  ir::Graph after;
};

/// What the search asks of the world.
struct SearchTools {
  /// The graph compressed by the settings and these entries.
  std::function<CompressedGraph(const std::vector<compress::Entry>& more)> compress;
  std::function<void(const std::function<void(const LossBatch&)>& use)> each_batch;
  /// Right indices along the last axis of the first output, for all of its rows; none: unknown.
  const std::vector<int64_t>& labels;
  /// Whether the target reads the weights of an operation in Q4_0.
  std::function<bool(const ir::Node&)> can_pack;
  ir::Evaluator evaluate;
};

/// What a share of loss is a share of.
enum class LossMeasure {
  accuracy,  ///< rows that were right, of those with labels
  top1,      ///< rows whose largest element is another one
  noise,     ///< the power of the differences, of the power of the output
};
std::string_view measure_name(LossMeasure measure);

/// Layers that are compressed together or not at all, as they share weights: mostly one.
struct ChosenLayers {
  std::vector<std::string> addresses;
  std::vector<std::string> modules;
  compress::Form form = compress::Form::floats;
  std::optional<compress::Alone> alone;  ///< measured, with no other layer compressed
};

struct SearchResult {
  compress::Goal goal;
  LossMeasure measure = LossMeasure::noise;
  compress::Loss loss;  ///< of what was chosen
  int64_t bytes = 0;    ///< of all constants
  int64_t bytes_of_floats = 0;
  std::vector<ChosenLayers> layers;
  size_t tried = 0;                      ///< choices whose loss was measured
  std::vector<compress::Entry> entries;  ///< that say what was chosen
};

/// `before`: prepared, as settings are looked at.   Errors: `compression-goal`.
SearchResult search_compression(const ir::Graph& before, const compress::Settings& settings,
                                const compress::Goal& goal, const SearchTools& tools);

}  // namespace t2n
