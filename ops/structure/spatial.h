// SPDX-License-Identifier: Apache-2.0
// Shared by operators over [N, C, spatial…]: the optional batch axis, and products along one axis.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "src/translate/emitter.h"
#include "src/translate/op_view.h"

namespace t2n::ops {

using Pads = std::vector<std::pair<int64_t, int64_t>>;

/// `x` with a batch axis, which torch lets callers leave out.
Ref batched(Emitter& out, Ref x, int spatial);
/// Shape of output `index` as if the input had had a batch axis.
Shape batched_shape(const OpView& op, int spatial, int index = 0);
/// Declares the result, without the batch axis that `batched` added.
void batched_result(const OpView& op, Emitter& out, Ref y, int index = 0);

// For operators that treat all channels equally: the same, but [N * C, 1, spatial…] if the number
// of channels is symbolic, which tract's pools do not support.
Ref planes(Emitter& out, Ref x, int spatial);
Shape planes_shape(const OpView& op, int spatial, int index = 0);
void planes_result(const OpView& op, Emitter& out, Ref y, int index = 0);

/// Corrects `y`, the maxima over `windows` of `x`: tract returns the lowest number instead of -inf,
/// and ignores NaN. Emitted only if the program may produce them: each costs another pool.
Ref with_infinities(const OpView& op, Emitter& out, Ref x, const Attributes& windows, Ref y);

/// Weights are [O, I/groups, k…], of transposed convolutions [I, O/groups, k…]. Lists have one
/// entry per spatial axis.
struct Convolution {
  Ref input;
  Ref weight;
  std::optional<Ref> bias;
  Ints stride;
  Ints dilation;
  Pads pads;
  int64_t groups = 1;
  int spatial() const { return static_cast<int>(stride.size()); }
};
/// The transposed convolution, whose weight is [O, I/groups, k…] here, with the groups outermost in
/// O. `shape` is the result's; it is longer at the end of each spatial axis by `extra` than the
/// input makes it.
Ref transposed_convolution(Emitter& out, const Convolution& c, const Ints& extra,
                           const Shape& shape);

/// Keys' kernel with a = -0.75, as torch has it, for the four entries around a position, `t` after
/// the second.
std::vector<Ref> cubic_weights(Emitter& out, Ref t);

/// Each entry of `x` along `axis` becomes a weighted sum of all: y[.., o, ..] = sum_i m[o, i] x[..,
/// i, ..]. `matrix` is [o, i] in row-major order; it is stored in the dtype of `x`.
Ref along_axis(Emitter& out, Ref x, int axis, const std::vector<double>& matrix, int64_t rows);
/// The same with a matrix [o, i] that the model computes.
Ref along_axis(Emitter& out, Ref x, int axis, Ref matrix);

}  // namespace t2n::ops
