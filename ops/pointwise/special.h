// SPDX-License-Identifier: Apache-2.0
// Approximations for special functions. Coefficients start with the highest power.
#pragma once

#include <span>

#include "src/translate/arith.h"

namespace t2n::ops {

using Coefficients = std::span<const double>;

/// Horner's scheme.
Ref polynomial(Emitter& out, Ref x, Coefficients c);
Ref rational(Emitter& out, Ref x, Coefficients top, Coefficients bottom);
/// Clenshaw's scheme for Chebyshev polynomials of x / 2 in -1..1, the last term halved (Cephes,
/// chbevl). Terms below the precision of x are dropped.
Ref chebyshev(Emitter& out, Ref x, Coefficients c);

Ref plus(Emitter& out, Ref x, double number);
Ref times(Emitter& out, Ref x, double number);
Ref natural_log(Emitter& out, Ref x);
/// number - x, number / x.
Ref minus_from(Emitter& out, double number, Ref x);
Ref over(Emitter& out, double number, Ref x);
Ref is_below(Emitter& out, Ref x, double number);
Ref is_above(Emitter& out, Ref x, double number);
/// Larger values become `most`; NaN stays.
Ref capped(Emitter& out, Ref x, double most);
/// A number in place of x where the condition holds.
Ref replaced(Emitter& out, Ref condition, double number, Ref x);

/// The error function and its complement, in f32 and f64; exp(x^2) erfc(x).
Ref error_function(Emitter& out, Ref x);
Ref complementary_error_function(Emitter& out, Ref x);
Ref scaled_error_function(Emitter& out, Ref x);
/// The modified Bessel function of order 0.
Ref modified_bessel_i0(Emitter& out, Ref x);
/// x times the normal distribution at x.
Ref exact_gelu(Emitter& out, Ref x);

/// A fragment of `self` alone, computed in f32 if it is f16.
void fragment_of_self(const OpView& op, Emitter& out);

}  // namespace t2n::ops
