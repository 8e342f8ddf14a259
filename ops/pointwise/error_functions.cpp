// SPDX-License-Identifier: Apache-2.0
// The error function and related ones: complements, inverses, and the normal distribution.
#include <cmath>
#include <numbers>

#include "ops/pointwise/families.h"
#include "ops/pointwise/special.h"
#include "src/translate/registry.h"

namespace t2n::ops {
namespace {

using ir::Promotion;

constexpr double kHalfRoot = std::numbers::sqrt2 / 2;

// clang-format off
// erf(x) / x in x^2 up to 1; exp(x^2) erfc(x) from 1 to 8, and above (Cephes, ndtr.c).
constexpr double kErfTop[] = {9.60497373987051638749E0, 9.00260197203842689217E1, 2.23200534594684319226E3, 7.00332514112805075473E3, 5.55923013010394962768E4};
constexpr double kErfBottom[] = {1, 3.35617141647503099647E1, 5.21357949780152679795E2, 4.59432382970980127987E3, 2.26290000613890934246E4, 4.92673942608635921086E4};
constexpr double kErfcTop[] = {2.46196981473530512524E-10, 5.64189564831068821977E-1, 7.46321056442269912687E0, 4.86371970985681366614E1, 1.96520832956077098242E2, 5.26445194995477358631E2, 9.34528527171957607540E2, 1.02755188689515710272E3, 5.57535335369399327526E2};
constexpr double kErfcBottom[] = {1, 1.32281951154744992508E1, 8.67072140885989742329E1, 3.54937778887819891062E2, 9.75708501743205489753E2, 1.82390916687909736289E3, 2.24633760818710981792E3, 1.65666309194161350182E3, 5.57535340817727675546E2};
constexpr double kFarErfcTop[] = {5.64189583547755073984E-1, 1.27536670759978104416E0, 5.01905042251180477414E0, 6.16021097993053585195E0, 7.40974269950448939160E0, 2.97886665372100240670E0};
constexpr double kFarErfcBottom[] = {1, 2.26052863220117276590E0, 9.39603524938001434673E0, 1.20489539808096656605E1, 1.70814450747565897222E1, 9.60896809063285878198E0, 3.36907645100081516050E0};
// The same in f32 for all x >= 0: t exp(P(t)), t = 1 / (1 + x / 2) (Numerical Recipes, erfcc).
constexpr double kErfcExponent[] = {0.17087277, -0.82215223, 1.48851587, -1.13520398, 0.27886807, -0.18628806, 0.09678418, 0.37409196, 1.00002368, -1.26551223};
// The inverse in f32: polynomials in w - 2.5, or sqrt(w) - 3 (Giles 2010, single precision).
constexpr double kInverseMiddle[] = {2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087, -0.00125372503, -0.00417768164, 0.246640727, 1.50140941};
constexpr double kInverseTail[] = {-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613, 0.00943887047, 1.00167406, 2.83297682};
// The inverse in f64, before two of Newton's steps, as in torch (Pavlis).
constexpr double kStartTop[] = {-0.140543331, 0.914624893, -1.645349621, 0.886226899};
constexpr double kStartBottom[] = {0.012229801, -0.329097515, 1.442710462, -2.118377725, 1};
constexpr double kStartTailTop[] = {1.641345311, 3.429567803, -1.624906493, -1.970840454};
constexpr double kStartTailBottom[] = {1.637067800, 3.543889200, 1};
// The inverse of the normal distribution (Cephes, ndtri.c): near 1/2, and its tails.
constexpr double kMiddleTop[] = {-59.96335010141079, 98.00107541859997, -56.67628574690703, 13.931260938727968, -1.2391658386738125};
constexpr double kMiddleBottom[] = {1.0, 1.9544885833814176, 4.676279128988815, 86.36024213908905, -225.46268785411937, 200.26021238006066, -82.03722561683334, 15.90562251262117, -1.1833162112133};
constexpr double kTailTop[] = {4.0554489230596245, 31.525109459989388, 57.16281922464213, 44.08050738932008, 14.684956192885803, 2.1866330685079025, -0.1402560791713545, -0.03504246268278482, -0.0008574567851546854};
constexpr double kTailBottom[] = {1.0, 15.779988325646675, 45.39076351288792, 41.3172038254672, 15.04253856929075, 2.504649462083094, -0.14218292285478779, -0.03808064076915783, -0.0009332594808954574};
constexpr double kFarTailTop[] = {3.2377489177694603, 6.915228890689842, 3.9388102529247444, 1.3330346081580755, 0.20148538954917908, 0.012371663481782003, 0.00030158155350823543, 2.6580697468673755e-06, 6.239745391849833e-09};
constexpr double kFarTailBottom[] = {1.0, 6.02427039364742, 3.6798356385616087, 1.3770209948908132, 0.21623699359449663, 0.013420400608854318, 0.00032801446468212774, 2.8924786474538068e-06, 6.790194080099813e-09};
// clang-format on

Ref squared(Emitter& out, Ref x) { return mul(out, x, x); }
Ref exp(Emitter& out, Ref x) { return out.elementwise("exp", {x}); }
Ref log1p(Emitter& out, Ref x) { return out.elementwise("t2n_log1p", {x}); }

/// exp(sign * x^2) for x >= 0. The square is exact for the sixteenths in x, the rest is small.
Ref exp_of_square(Emitter& out, Ref x, double sign) {
  const Ref z = capped(out, x, 64);  // beyond it the result is 0 or infinite
  const Ref sixteenths = times(out, out.elementwise("floor", {times(out, z, 16)}), 1.0 / 16);
  const Ref rest = mul(out, sub(out, z, sixteenths), add(out, z, sixteenths));
  return mul(out, exp(out, times(out, squared(out, sixteenths), sign)),
             exp(out, times(out, rest, sign)));
}

/// erf(x) for |x| <= 1, in f64.
Ref erf_near_zero(Emitter& out, Ref x) {
  return mul(out, x, rational(out, squared(out, x), kErfTop, kErfBottom));
}

/// exp(x^2) erfc(x) for x >= 0.
Ref scaled_complement(Emitter& out, Ref x) {
  if (out.dtype(x) == DType::f32) {
    const Ref t = over(out, 1, plus(out, times(out, x, 0.5), 1));
    return mul(out, t, exp(out, polynomial(out, t, kErfcExponent)));
  }
  const Ref low = capped(out, x, 1);
  const Ref near =
      mul(out, minus_from(out, 1, erf_near_zero(out, low)), exp(out, squared(out, low)));
  const Ref middle = rational(out, capped(out, x, 8), kErfcTop, kErfcBottom);
  const Ref far = rational(out, capped(out, x, 1e30), kFarErfcTop, kFarErfcBottom);
  return select(out, is_below(out, x, 1), near, select(out, is_below(out, x, 8), middle, far));
}

/// log(ndtr(x)) = log(erfc(-x / sqrt(2)) / 2).
Ref log_ndtr(Emitter& out, Ref x) {
  const Ref t = times(out, x, kHalfRoot);
  const Ref size = magnitude(out, t);
  const Ref scaled = scaled_complement(out, size);
  const Ref tail = sub(out, natural_log(out, times(out, scaled, 0.5)), squared(out, t));
  const Ref upper = complementary_error_function(out, t);
  return select(out, is_below(out, x, -1), tail, log1p(out, times(out, upper, -0.5)));
}

Ref ndtr(Emitter& out, Ref x) {
  return times(out, complementary_error_function(out, times(out, x, -kHalfRoot)), 0.5);
}

/// Infinite at `low` and `high`, NaN outside.
Ref within(Emitter& out, Ref x, double low, double high, Ref y) {
  const auto is = [&](double value) { return compare(out, "eq", x, like(out, value, x)); };
  const Ref inside = replaced(out, is(low), -kInfinity, replaced(out, is(high), kInfinity, y));
  return replaced(out, is_below(out, x, low), kNan,
                  replaced(out, is_above(out, x, high), kNan, inside));
}

/// The tails are functions of sqrt(-2 log(y)), where y is the smaller probability.
Ref ndtri(Emitter& out, Ref x) {
  constexpr double kTailProbability = 0.13533528323661269189;  // exp(-2)
  const Ref other = minus_from(out, 1, x);
  const Ref is_upper = is_above(out, x, 1 - kTailProbability);
  const Ref y = select(out, is_upper, other, x);
  const Ref centred = plus(out, x, -0.5);
  const Ref square = squared(out, centred);
  const Ref bend = mul(out, square, rational(out, square, kMiddleTop, kMiddleBottom));
  const Ref middle =
      times(out, add(out, centred, mul(out, centred, bend)), std::sqrt(2 * std::numbers::pi));
  const Ref root = out.elementwise("sqrt", {times(out, natural_log(out, y), -2)});
  const Ref z = over(out, 1, root);
  const Ref correction =
      mul(out, z,
          select(out, is_below(out, root, 8), rational(out, z, kTailTop, kTailBottom),
                 rational(out, z, kFarTailTop, kFarTailBottom)));
  const Ref tail = sub(out, sub(out, root, mul(out, natural_log(out, root), z)), correction);
  const Ref signed_tail = select(out, is_upper, tail, neg(out, tail));
  return within(out, x, 0, 1, select(out, is_above(out, y, kTailProbability), middle, signed_tail));
}

Ref inverse_in_f32(Emitter& out, Ref x) {
  const Ref product = mul(out, minus_from(out, 1, x), plus(out, x, 1));
  const Ref w = neg(out, natural_log(out, product));
  const Ref middle = polynomial(out, plus(out, w, -2.5), kInverseMiddle);
  const Ref tail = polynomial(out, plus(out, out.elementwise("sqrt", {w}), -3), kInverseTail);
  return mul(out, x, select(out, is_below(out, w, 5), middle, tail));
}

Ref inverse_in_f64(Emitter& out, Ref x) {
  const Ref size = magnitude(out, x);
  const Ref middle = mul(out, size, rational(out, squared(out, size), kStartTop, kStartBottom));
  const Ref root = out.elementwise(
      "sqrt", {neg(out, natural_log(out, times(out, minus_from(out, 1, size), 0.5)))});
  const Ref tail = rational(out, root, kStartTailTop, kStartTailBottom);
  Ref y = select(out, is_above(out, size, 0.7), tail, middle);
  for (int step = 0; step < 2; ++step) {
    const Ref slope = times(out, exp(out, neg(out, squared(out, y))), 2 * std::numbers::inv_sqrtpi);
    y = sub(out, y, div(out, sub(out, error_function(out, y), size), slope));
  }
  return select(out, is_below(out, x, 0), neg(out, y), y);
}

Ref erfinv(Emitter& out, Ref x) {
  const bool is_f32 = out.dtype(x) == DType::f32;
  return within(out, x, -1, 1, is_f32 ? inverse_in_f32(out, x) : inverse_in_f64(out, x));
}

template <Ref (*kFunction)(Emitter&, Ref)>
void widened_function(const OpView& op, Emitter& out) {
  finish(op, out, kFunction(out, widened(out, op.tensor("self"))));
}

}  // namespace

Ref error_function(Emitter& out, Ref x) {
  if (out.dtype(x) != DType::f64 || !out.has(target::Feature::computes_f64))
    return out.elementwise("tract_core_erf", {x});
  const Ref size = magnitude(out, x);
  const Ref far =
      minus_from(out, 1, mul(out, exp_of_square(out, size, -1), scaled_complement(out, size)));
  const Ref signed_far = select(out, is_below(out, x, 0), neg(out, far), far);
  return select(out, is_below(out, size, 1), erf_near_zero(out, x), signed_far);
}

Ref complementary_error_function(Emitter& out, Ref x) {
  if (out.dtype(x) == DType::f64 && !out.has(target::Feature::computes_f64))
    return out.cast(complementary_error_function(out, out.cast(x, DType::f32)), DType::f64);
  const Ref size = magnitude(out, x);
  const Ref y = mul(out, exp_of_square(out, size, -1), scaled_complement(out, size));
  return select(out, is_below(out, x, 0), minus_from(out, 2, y), y);
}

Ref scaled_error_function(Emitter& out, Ref x) {
  const Ref size = magnitude(out, x);
  const Ref y = scaled_complement(out, size);
  const Ref mirrored = sub(out, times(out, exp_of_square(out, size, 1), 2), y);
  return select(out, is_below(out, x, 0), mirrored, y);
}

Ref exact_gelu(Emitter& out, Ref x) {
  if (out.dtype(x) != DType::f64 || !out.has(target::Feature::computes_f64))
    return out.elementwise("t2n_gelu_erf", {widened(out, x)});
  return mul(out, x, ndtr(out, x));
}

void register_error_functions(Registry& r) {
  r.elementwise({"aten::erfinv", "aten::special_erfinv"},
                {"mul", "inverse of erf; relative error in f32 4e-7", widened_function<erfinv>,
                 Promotion::to_float});
  r.elementwise({"aten::special_erfcx"},
                {"mul", "exp(self^2) * erfc(self); relative error in f32 4e-7",
                 widened_function<scaled_error_function>, Promotion::to_float});
  r.elementwise({"aten::special_ndtr"}, {"mul", "normal distribution; relative error in f32 5e-6",
                                         widened_function<ndtr>, Promotion::to_float});
  r.elementwise({"aten::special_log_ndtr"},
                {"mul", "log of the normal distribution; relative error in f32 2e-6",
                 widened_function<log_ndtr>, Promotion::to_float});
  r.elementwise({"aten::special_ndtri"},
                {"mul", "inverse of the normal distribution; relative error in f32 6e-7",
                 widened_function<ndtri>, Promotion::to_float});
}

}  // namespace t2n::ops
