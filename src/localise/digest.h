// SPDX-License-Identifier: Apache-2.0
// A summary of a tensor, small enough to keep for every tensor of a model.
#pragma once

#include <optional>
#include <vector>

#include "ir/tensor.h"
#include "src/check/localisation.h"

namespace t2n::localise {

/// Signed sums and norms of pieces of a tensor, in row-major order: independent of its shape.
struct Pieces {
  std::vector<double> sums;
  std::vector<double> norms;
  double largest_norm = 0;
};

struct Digest {
  int64_t elements = 0;
  Pieces values;
  Pieces compressed;        ///< of asinh(x): large elements, as those of masks, do not hide others
  uint64_t special = 0;     ///< positions of NaN, of infinities and of masking numbers
  uint64_t multiset = 0;    ///< of the elements' bits, independent of their order
  bool is_uniform = false;  ///< all elements are equal, or few integers: equal to many tensors
};

Digest digest_of(const ir::Tensor& tensor);

/// The largest difference of a piece, in units of the pieces' norms; infinite if the numbers of
/// elements or the positions of special ones differ.
double distance(const Digest& a, const Digest& b);
/// The same if it is at most `most`; stops at the first piece beyond it.
std::optional<double> distance_within(const Digest& a, const Digest& b, double most);

TensorStatistics statistics_of(const std::vector<double>& values);

/// Compares two tensors element by element, in row-major order. `noise`: relative, what rounding
/// explains.
TensorDifference difference_of(const ir::Tensor& expected, const ir::Tensor& actual, double noise);

}  // namespace t2n::localise
