// SPDX-License-Identifier: Apache-2.0
// Differences in units in the last place: the representable numbers between two.
#pragma once

#include <array>
#include <cstdint>

#include "ir/dtype.h"

namespace t2n::check {

/// Counts differences by size; exact below 256, within 3 % above. Memory does not grow with the
/// number of elements.
class UlpCounts {
 public:
  explicit UlpCounts(ir::DType dtype) : dtype_(dtype) {}

  /// NaN equals NaN; it is infinitely far from numbers, as are infinities of other signs.
  void add(double expected, double actual);
  /// 99 % of the differences are at most this; 0 without elements, and for integers.
  double p99() const;

 private:
  static constexpr uint64_t kExact = 256;
  static constexpr size_t kParts = 32;  ///< of a power of two
  static constexpr int kFirstPower = 8;
  static constexpr size_t kPowers = 64 - kFirstPower;
  static constexpr size_t kBuckets = kExact + kPowers * kParts + 1;  ///< the last is infinite

  static size_t bucket_of(uint64_t distance);
  static double least_of(size_t bucket);
  uint64_t distance(double expected, double actual) const;

  ir::DType dtype_;
  int64_t elements_ = 0;
  std::array<int64_t, kBuckets> counts_{};
};

}  // namespace t2n::check
