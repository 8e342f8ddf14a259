// Quotients of floats that are right in the last bit. tract multiplies by the inverse of the
// divisor, whatever it is (docs/engine_bugs.md).
#pragma once

#include "src/translate/op_view.h"

namespace t2n::ops {

/// The error of a product: a * b = product + error, exactly, in floats of one width (Dekker 1971).
Ref error_of_product(Emitter& out, Ref a, Ref b, Ref product);
/// a / b, of f64 numbers next to the right result, or, where a double holds it, the right one.
Ref exact_quotient(Emitter& out, Ref a, Ref b);
/// a / b as part of an operation, exact if its result is rounded later. Integers are divided as
/// NNEF does.
Ref quotient(const OpView& op, Emitter& out, Ref a, Ref b);
/// Whether a quotient of floats is to be exact in what the operation computes.
bool needs_exact_quotients(const OpView& op, const Emitter& out);
/// The mean over `axes`, which keep extent 1, in the dtype of `x`: where the operation's result is
/// rounded later, the sum divided by their number, as in torch.
Ref mean(const OpView& op, Emitter& out, Ref x, const Ints& axes);

}  // namespace t2n::ops
