// SPDX-License-Identifier: Apache-2.0
// Matrix products of any rank, and scalings that emit nothing for a factor of one.
#pragma once

#include <optional>

#include "src/translate/emitter.h"
#include "src/translate/op_view.h"

namespace t2n::ops {

/// torch.matmul: vectors are rows at the left and columns at the right, leading axes broadcast.
/// Both have one dtype.
Ref product(const OpView& op, Emitter& out, Ref a, Ref b);
/// The same with `b` transposed in its last two axes: `b` has rank 2 or more, `a` rank 1 or more.
Ref product_transposed(const OpView& op, Emitter& out, Ref a, Ref b);
/// The product of a tensor of rank 3 or more and one matrix: `a` or `b` has rank 2. Floats only.
Ref product_with_matrix(Emitter& out, Ref a, Ref b, bool transposed);
/// x . weight^T + bias. Shapes: x [..., I], weight [O, I], bias [O].
Ref linear_layer(const OpView& op, Emitter& out, Ref x, Ref weight, std::optional<Ref> bias);
/// a * b summed over ascending `axes`, which vanish. Exact for integers, unlike tract's products.
Ref sum_of_products(Emitter& out, Ref a, Ref b, const Ints& axes);
/// Whether tract multiplies matrices of this dtype as torch does.
bool has_matmul(DType dtype);

/// `x` with axes of extent 1 in front, up to `rank`.
Ref with_rank(Emitter& out, Ref x, int rank);

/// x * factor; `x` itself for 1.
Ref scaled(Emitter& out, Ref x, double factor);

}  // namespace t2n::ops
