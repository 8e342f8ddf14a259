// SPDX-License-Identifier: Apache-2.0
// Statistics of a tensor for an observer, in bounded memory.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/tensor.h"
#include "src/compress/calibrate/observe.h"
#include "src/compress/calibrate/ranges.h"

namespace t2n::compress {

/// Statistics of one channel, or of an entire tensor.
struct RangeStatistics {
  int64_t batches = 0;
  int64_t elements = 0;
  double low = 0;
  double high = 0;
  double average_low = 0;  ///< of the batches' minima; recent ones count more
  double average_high = 0;
  Histogram histogram;  ///< if the observer needs it
};

class Statistics {
 public:
  explicit Statistics(const Observation& observation);
  /// Adds another batch. The observation's `axis` is that of channels. Errors: `calibration` for
  /// NaN and infinities.
  void see(const ir::Tensor& tensor);
  bool empty() const { return channels_.empty(); }
  /// One range, or one per channel.
  std::vector<Range> ranges() const;

 private:
  Observation observation_;
  std::vector<RangeStatistics> channels_;
};

}  // namespace t2n::compress
