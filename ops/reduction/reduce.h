// SPDX-License-Identifier: Apache-2.0
// Shared by reductions: their arguments `dim` and `keepdim`.
#pragma once

#include "src/translate/arith.h"

namespace t2n::ops {

/// The axes that `dim` names; all axes if it is absent, none or empty.
Ints reduced_axes(const OpView& op, const Emitter& out, Ref x);
/// Declares the result of a reduction, without `axes` (of extent 1) unless `keepdim` is set.
void finish_reduced(const OpView& op, Emitter& out, Ref y, const Ints& axes, int index = 0);

/// (sum |x|^p)^(1/p) over `axes`, and its limits for p = 0 and infinity; the axes stay with
/// extent 1.
Ref vector_norm(Emitter& out, Ref x, double p, const Ints& axes);
/// log(sum(exp(x), axes)) without overflow; the axes stay with extent 1.
Ref log_sum_exp(Emitter& out, Ref x, const Ints& axes);
/// Running sums along `axis`: by the operation `nnef`, or by a product if that is not cumsum.
Ref running_sum(Emitter& out, std::string_view nnef, Ref x, int axis);

}  // namespace t2n::ops
