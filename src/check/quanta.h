// Differences counted in steps of a quantiser.
#pragma once

#include <cstdint>

#include "ir/tensor.h"

namespace t2n::check {

/// A difference counted in steps of the quantiser that an output comes from.
struct Quanta {
  double step = 0;
  double most = 0;  ///< infinite where only one of two is finite
  int64_t elements = 0;
  int64_t off_by_one = 0;
  int64_t off_by_more = 0;
};
Quanta count_quanta(const ir::Tensor& expected, const ir::Tensor& actual, double step);
/// The worse of both, number by number.
Quanta worst(const Quanta& a, const Quanta& b);

}  // namespace t2n::check
