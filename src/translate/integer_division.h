// SPDX-License-Identifier: Apache-2.0
// Quotients and remainders of integers.
#pragma once

#include "src/translate/emitter.h"

namespace t2n::ops {

enum class Rounding { floor, trunc };

struct Division {
  Ref quotient;
  Ref remainder;
};

/// tract's integer quotient is truncated; before 0.23 it is floored if the divisor is a power of
/// two. The sign of the remainder shows which it is, and both are corrected.
Division divide_integers(Emitter& out, Ref a, Ref b, Rounding rounding);

/// Whether the remainder of a division is not 0 and its sign differs from that of `other`.
Ref has_wrong_sign(Emitter& out, Ref remainder, Ref other);

}  // namespace t2n::ops
