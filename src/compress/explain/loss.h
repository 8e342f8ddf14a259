// SPDX-License-Identifier: Apache-2.0
// The cost of compression: compares a compressed graph with the original.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ir/evaluator.h"
#include "ir/graph.h"
#include "src/compress/layer_table.h"

namespace t2n::compress {

/// Sums over elements, from which a signal-to-noise ratio and a cosine are computed.
struct Closeness {
  double signal = 0;   ///< sum of squares of the reference
  double noise = 0;    ///< sum of squares of the differences
  double product = 0;  ///< sum of products
  double square = 0;   ///< sum of squares of the result
  void add(const ir::Tensor& expected, const ir::Tensor& actual);
  double snr_db() const;  ///< infinite without noise, -infinite with new NaN or infinities
  double cosine() const;  ///< zero with new NaN or infinities
};

/// An operation with weights.
struct LayerLoss {
  static constexpr const char* kNoFormat = "?";
  std::string address;        ///< "Net/Sequential[features]/Conv2d[0]/conv2d_0"
  std::string address_after;  ///< in the compressed graph, where names may differ
  std::string module;         ///< "features.0"
  /// "int8", "int4", "f16", "q4_0", "f32"; "int8+f32" if weights differ. kNoFormat if they are not
  /// found in the compressed graph: then only the original is known.
  std::string format = kNoFormat;
  int64_t bytes_before = 0;  ///< without constants that an earlier layer reads as well
  int64_t bytes_after = 0;
  double zeros = 0;  ///< share of zeros among the weights
  Closeness weights;
  Closeness results;  ///< of the operation, with all operations before it compressed as well
  bool is_followed() const { return format != kNoFormat; }
};

/// The rows of a batch: which count, and their labels.
struct BatchRows {
  /// Correct classes for all rows of all batches; none: unknown.
  std::span<const int64_t> labels = {};
  int64_t size = 0;     ///< of the batch, along axis 0 of its results
  int64_t padding = 0;  ///< rows at its end that do not count
};

struct OutputLoss {
  std::string name;
  Closeness all;
  int64_t rows = 0;          ///< indices along all axes except the class axis
  int64_t same_top1 = 0;     ///< rows with the same largest element
  int64_t right_before = 0;  ///< rows with a correct label
  int64_t right_after = 0;
  int64_t labelled = 0;
  bool has_classes = true;  ///< whether the largest element of a row means anything
  /// Adds another batch.
  void add(const ir::Tensor& before, const ir::Tensor& after, const BatchRows& rows_of_batch = {});
};
/// Errors: `calibration` if there are labels, but not one for each row.
void require_labels(const OutputLoss& loss, const std::vector<int64_t>& labels);

/// Sums over batches.
class LossMeter {
 public:
  /// `stored`: the compressed graph with its QuantInfo, which states how the file stores weights;
  /// `after`: the same with plain operations, so that it can run.
  LossMeter(const ir::Graph& before, const ir::Graph& stored, const ir::Graph& after,
            const ir::Evaluator& evaluate, Storage storage = Storage::bytes);

  /// The graphs have the batch's sizes. Labels are for the first output.
  void add(const ir::Graph& before, const ir::Graph& after, const std::vector<ir::Tensor>& inputs,
           BatchRows rows = {});

  const std::vector<LayerLoss>& layers() const { return layers_; }
  const std::vector<OutputLoss>& outputs() const { return outputs_; }

 private:
  std::vector<LayerLoss> layers_;
  std::vector<OutputLoss> outputs_;
  const ir::Evaluator& evaluate_;
};

}  // namespace t2n::compress
