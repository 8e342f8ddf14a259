// SPDX-License-Identifier: Apache-2.0
// Correctly rounded quotients of floats. tract always multiplies by the reciprocal of the divisor
// (docs/engine_bugs.md).
#pragma once

#include "src/translate/op_view.h"

namespace t2n::ops {

/// The error of a product: a * b = product + error, exactly, in floats of one width (Dekker 1971).
Ref error_of_product(Emitter& out, Ref a, Ref b, Ref product);
/// a / b; correctly rounded but for f64, whose last bit may be off unless the quotient is exact.
Ref exact_quotient(Emitter& out, Ref a, Ref b);
/// a / b as part of an operation, exact if its result is rounded later. Integers are divided as in
/// NNEF.
Ref quotient(const OpView& op, Emitter& out, Ref a, Ref b);
/// Whether the operation needs exact quotients of floats.
bool needs_exact_quotients(const OpView& op, const Emitter& out);
/// The mean over `axes`, which keep extent 1, in the dtype of `x`. If the operation's result is
/// rounded later: the sum divided by the count, as in torch.
Ref mean(const OpView& op, Emitter& out, Ref x, const Ints& axes);

}  // namespace t2n::ops
