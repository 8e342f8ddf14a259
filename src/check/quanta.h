// SPDX-License-Identifier: Apache-2.0
// Counts differences in quantisation steps.
#pragma once

#include <cmath>
#include <cstdint>

#include "ir/tensor.h"

namespace t2n::check {

/// Differences of a quantised output, in quantisation steps.
struct Quanta {
  double step = 0;
  double most = 0;  ///< infinite if only one of two is finite
  int64_t elements = 0;
  int64_t off_by_one = 0;
  int64_t off_by_more = 0;
  int64_t between = 0;       ///< off by a fraction of a step
  int64_t at_ties = 0;       ///< off, but explained by ties
  int64_t of_an_engine = 0;  ///< off, but equal to another engine of LibTorch
};

/// Whether a difference is an integer number of steps, up to the rounding of f32.
inline bool is_integer_valued(double steps) {
  constexpr double kRounding = 1e-2;
  return std::isfinite(steps) && std::abs(steps - std::nearbyint(steps)) <= kRounding;
}

Quanta count_quanta(const ir::Tensor& expected, const ir::Tensor& actual, double step);
/// Sums over two sets of inputs.
Quanta combined(const Quanta& a, const Quanta& b);

}  // namespace t2n::check
