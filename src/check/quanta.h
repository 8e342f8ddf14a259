// Differences counted in steps of a quantiser.
#pragma once

#include <cmath>
#include <cstdint>

#include "ir/tensor.h"

namespace t2n::check {

/// Differences counted in steps of the quantiser that an output comes from.
struct Quanta {
  double step = 0;
  double most = 0;  ///< infinite where only one of two is finite
  int64_t elements = 0;
  int64_t off_by_one = 0;
  int64_t off_by_more = 0;
  int64_t between = 0;       ///< no whole number of steps off: not what the quantiser gives
  int64_t at_ties = 0;       ///< of those that are off, which ties explain
  int64_t of_an_engine = 0;  ///< those that are another engine of LibTorch's
};

/// Whether a difference in steps is a whole number of them, but for the rounding of f32.
inline bool is_on_grid(double steps) {
  constexpr double kRounding = 1e-2;
  return std::isfinite(steps) && std::abs(steps - std::nearbyint(steps)) <= kRounding;
}

Quanta count_quanta(const ir::Tensor& expected, const ir::Tensor& actual, double step);
/// Of two sets of inputs.
Quanta together(const Quanta& a, const Quanta& b);

}  // namespace t2n::check
