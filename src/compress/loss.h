// What compression costs: a compressed graph beside the one that it was made of.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ir/evaluator.h"
#include "ir/graph.h"

namespace t2n::compress {

/// Sums over elements, from which a ratio of signal to noise and a cosine follow.
struct Closeness {
  double signal = 0;   ///< sum of squares of what is wanted
  double noise = 0;    ///< sum of squares of the differences
  double product = 0;  ///< sum of products
  double square = 0;   ///< sum of squares of what is there
  void add(const ir::Tensor& wanted, const ir::Tensor& there);
  double snr_db() const;  ///< infinite where nothing differs, -infinite where numbers became none
  double cosine() const;  ///< zero where numbers became none
};

/// An operation with weights.
struct LayerLoss {
  static constexpr const char* kNoFormat = "?";
  std::string address;        ///< "Net/Sequential[features]/Conv2d[0]/conv2d_0"
  std::string address_after;  ///< in the compressed graph, where operations may have other names
  std::string module;         ///< "features.0"
  /// "int8", "int4", "f16", "q4_0", "f32"; of weights that differ "int8+f32". kNoFormat where they
  /// are not found in the compressed graph: then only what was before is known.
  std::string format = kNoFormat;
  int64_t bytes_before = 0;
  int64_t bytes_after = 0;
  double zeros = 0;  ///< share of the weights that are zero
  Closeness weights;
  Closeness results;  ///< of the operation, with all that comes before it compressed too
  bool is_followed() const { return format != kNoFormat; }
};

/// What counts of a batch.
struct Judged {
  /// Right indices along the last axis, for all rows of all batches in turn; none: unknown.
  std::span<const int64_t> labels = {};
  int64_t size = 0;    ///< of the batch, along axis 0 of what it gives
  int64_t filled = 0;  ///< of these, the last ones that do not count
};

struct OutputLoss {
  std::string name;
  Closeness all;
  int64_t rows = 0;          ///< along all axes but the last
  int64_t same_top1 = 0;     ///< of these, where the largest of the last axis is the same
  int64_t right_before = 0;  ///< of these, with labels
  int64_t right_after = 0;
  int64_t labelled = 0;
  /// Another batch.
  void add(const ir::Tensor& before, const ir::Tensor& after, const Judged& judged = {});
};
/// Errors: `calibration` where there are labels, and not one for each row that was seen.
void require_labels(const OutputLoss& loss, const std::vector<int64_t>& labels);

/// Sums over batches.
class LossMeter {
 public:
  /// `stored`: the compressed graph with its QuantInfo, which says how weights lie in the file;
  /// `after`: the same in plain operations, which can be run.
  LossMeter(const ir::Graph& before, const ir::Graph& stored, const ir::Graph& after,
            const ir::Evaluator& evaluate);

  /// Graphs at the batch's sizes. Labels are for the first output.
  void add(const ir::Graph& before, const ir::Graph& after, const std::vector<ir::Tensor>& inputs,
           Judged judged = {});

  const std::vector<LayerLoss>& layers() const { return layers_; }
  const std::vector<OutputLoss>& outputs() const { return outputs_; }

 private:
  std::vector<LayerLoss> layers_;
  std::vector<OutputLoss> outputs_;
  const ir::Evaluator& evaluate_;
};

}  // namespace t2n::compress
