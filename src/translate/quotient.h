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

}  // namespace t2n::ops
