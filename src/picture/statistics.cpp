// SPDX-License-Identifier: Apache-2.0
// One pass over the elements, relative to the first of them.
#include "src/picture/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "ir/elements.h"
#include "src/diag/error.h"

namespace t2n::picture {
namespace {

/// Sums over the finite elements of a part, relative to `shift`, which keeps them small.
struct Sums {
  double count = 0;
  double sum = 0;
  double squares = 0;
};

void add_part(std::span<const double> values, double shift, Sums& sums, Statistics& out) {
  for (const double value : values) {
    if (!std::isfinite(value)) {
      ++(std::isnan(value) ? out.nans : out.infinities);
      continue;
    }
    out.zeros += value == 0;
    out.min = std::min(out.min, value);
    out.max = std::max(out.max, value);
    sums.count += 1;
    sums.sum += value - shift;
    sums.squares += (value - shift) * (value - shift);
  }
}

}  // namespace

Statistics statistics_of(const ir::Tensor& tensor) {
  Statistics out;
  out.min = std::numeric_limits<double>::infinity();
  out.max = -out.min;
  Sums sums;
  double shift = 0;
  bool has_shift = false;
  const ir::Tensor real = ir::as_pairs(tensor);
  out.elements = real.elements();
  ir::for_each_part(real, [&](size_t, std::span<const double> values) {
    const auto first = std::find_if(values.begin(), values.end(),
                                    [](double value) { return std::isfinite(value); });
    if (!has_shift && first != values.end()) {
      shift = *first;
      has_shift = true;
    }
    add_part(values, shift, sums, out);
  });
  if (sums.count == 0) {
    out.min = out.max = 0;
    return out;
  }
  const double mean = sums.sum / sums.count;
  out.mean = shift + mean;
  out.std = std::sqrt(std::max(0.0, sums.squares / sums.count - mean * mean));
  return out;
}

}  // namespace t2n::picture
