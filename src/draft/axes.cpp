// SPDX-License-Identifier: Apache-2.0
#include "src/draft/axes.h"

#include <numeric>
#include <utility>

namespace t2n::draft {

Ints all_axes(size_t rank) {
  Ints axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

Shape with_size(Shape shape, int axis, Dim size) {
  shape.at(axis) = std::move(size);
  return shape;
}

Ints inverse(const Ints& permutation) {
  Ints out(permutation.size());
  for (size_t i = 0; i < permutation.size(); ++i) out[permutation[i]] = static_cast<int64_t>(i);
  return out;
}

}  // namespace t2n::draft
