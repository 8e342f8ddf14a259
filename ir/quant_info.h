// SPDX-License-Identifier: Apache-2.0
// Quantisation parameters of a tensor.
#pragma once

#include <cstdint>
#include <vector>

namespace t2n::ir {

/// Quantisation parameters: float = (q - zero_point) * scale.
struct QuantInfo {
  std::vector<double> scales;  ///< one, or one for each index of `axis`
  std::vector<int64_t> zero_points;
  int axis = 0;
  int bits = 8;
  bool is_signed = false;
  bool narrow_range = false;

  bool is_per_channel() const { return scales.size() != 1; }
  /// The range of integers, up to 32 bits.
  int64_t lowest() const {
    return is_signed ? -(int64_t{1} << (bits - 1)) + (narrow_range ? 1 : 0) : narrow_range ? 1 : 0;
  }
  int64_t highest() const { return (int64_t{1} << (is_signed ? bits - 1 : bits)) - 1; }
  friend bool operator==(const QuantInfo&, const QuantInfo&) = default;
};

}  // namespace t2n::ir
