// SPDX-License-Identifier: Apache-2.0
// A histogram of floats of any range, in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace t2n::compress {

/// Bins of one width, a power of two, and zeros. When the range outgrows them, neighbours are
/// merged: the counts do not depend on the order of the values.
class Histogram {
 public:
  void add(double value);
  bool empty() const { return total_ == 0; }
  double total() const { return static_cast<double>(total_); }
  double zeros() const { return static_cast<double>(zeros_); }

  size_t size() const { return counts_.size(); }
  double count(size_t bin) const { return static_cast<double>(counts_[bin]); }
  double centre(size_t bin) const;
  double width() const { return width_; }

  /// The quantile of this share, to a bin's width.
  double quantile(double share) const;

 private:
  int64_t bin_of(double value) const;
  bool is_outside(double value) const;
  void widen();
  void make_room(double value);

  double width_ = 0;
  int64_t first_ = 0;  ///< bin 0 starts at first_ * width_
  int64_t total_ = 0;
  int64_t zeros_ = 0;  ///< counted separately, as most activations are zero
  std::vector<int64_t> counts_;
};

}  // namespace t2n::compress
