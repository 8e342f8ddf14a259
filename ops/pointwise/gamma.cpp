// SPDX-License-Identifier: Apache-2.0
// The gamma function's logarithm and its derivatives, and Hurwitz's zeta. All are computed in f64:
// their shifts and reflections lose digits near zeros.
#include <cmath>
#include <numbers>

#include "ops/pointwise/families.h"
#include "ops/pointwise/special.h"
#include "src/diag/error.h"
#include "src/translate/registry.h"

namespace t2n::ops {
namespace {

using ir::Promotion;

constexpr double kPi = std::numbers::pi;
/// All doubles above this are integers.
constexpr double kAllIntegers = 0x1p53;
/// Higher derivatives exceed f32 and need more terms.
constexpr int64_t kMostDerivatives = 30;

/// B(2k) / (2k (2k - 1)), k = 8 … 1: Stirling's series in 1 / x^2 (Abramowitz and Stegun 6.1.41).
constexpr double kStirling[] = {-3617 / 122400.0, 1 / 156.0,  -691 / 360360.0, 1 / 1188.0,
                                -1 / 1680.0,      1 / 1260.0, -1 / 360.0,      1 / 12.0};
/// B(2k) / 2k, k = 7 … 1 (Cephes, psi.c).
constexpr double kDigamma[] = {1 / 12.0,  -691 / 32760.0, 1 / 132.0, -1 / 240.0,
                               1 / 252.0, -1 / 120.0,     1 / 12.0};
/// (2k)! / B(2k), k = 1 … 9 (Cephes, zeta.c).
constexpr double kZeta[] = {12.0,
                            -720.0,
                            30240.0,
                            -1209600.0,
                            47900160.0,
                            -1.8924375803183791606e9,
                            7.47242496e10,
                            -2.950130727918164224e12,
                            1.1646782814350067249e14};

/// x - floor(x).
Ref fraction(Emitter& out, Ref x) { return sub(out, x, out.elementwise("floor", {x})); }

/// log(gamma(x)) for x >= 0: Stirling's series from 7 on; smaller x are shifted above 7.
Ref positive_lgamma(Emitter& out, Ref x) {
  constexpr int kShift = 7;
  const Ref is_small = is_below(out, x, kShift);
  const Ref low = capped(out, x, kShift);
  Ref product = low;
  for (int i = 1; i < kShift; ++i) product = mul(out, product, plus(out, low, i));
  const Ref w = select(out, is_small, plus(out, x, kShift), x);
  const Ref inverse = over(out, 1, w);
  const Ref series = mul(out, inverse, polynomial(out, mul(out, inverse, inverse), kStirling));
  const Ref main = sub(out, mul(out, plus(out, w, -0.5), natural_log(out, w)), w);
  const Ref y = add(out, plus(out, main, 0.5 * std::log(2 * kPi)), series);
  const Ref shifted = select(out, is_small, sub(out, y, natural_log(out, product)), y);
  return replaced(out, is_above(out, x, out.has(target::Feature::computes_f64) ? 2.5e305 : 4.08e36),
                  kInfinity, shifted);
}

/// Negative arguments by reflection: log(pi / |x sin(pi x)|) - log(gamma(-x)).
Ref lgamma(Emitter& out, Ref x) {
  const Ref size = magnitude(out, x);
  const Ref y = positive_lgamma(out, size);
  const Ref part = fraction(out, size);
  const Ref angle = times(out, minimum(out, part, minus_from(out, 1, part)), kPi);
  const Ref product = mul(out, size, out.elementwise("sin", {angle}));
  const Ref reflected = sub(out, natural_log(out, over(out, kPi, product)), y);
  const Ref finite = replaced(out, is_above(out, size, kAllIntegers), kInfinity, reflected);
  return select(out, is_below(out, x, 0), finite, y);
}

/// For x >= 0: the asymptotic series from 10 on; smaller x are shifted above 10.
Ref positive_digamma(Emitter& out, Ref x) {
  constexpr int kShift = 10;
  const Ref is_small = is_below(out, x, kShift);
  const Ref low = capped(out, x, kShift);
  Ref sum = over(out, 1, low);
  for (int i = 1; i < kShift; ++i) sum = add(out, sum, over(out, 1, plus(out, low, i)));
  const Ref w = select(out, is_small, plus(out, x, kShift), x);
  const Ref inverse = over(out, 1, w);
  const Ref z = mul(out, inverse, inverse);
  const Ref series = add(out, times(out, inverse, 0.5), mul(out, z, polynomial(out, z, kDigamma)));
  const Ref y = sub(out, natural_log(out, w), series);
  return select(out, is_small, sub(out, y, sum), y);
}

/// pi times the signed distance to the nearest integer.
Ref reduced_angle(Emitter& out, Ref part) {
  const Ref nearest = select(out, is_above(out, part, 0.5), plus(out, part, -1), part);
  return times(out, nearest, kPi);
}

/// digamma(1 - x) - pi / tan(pi x) for negative x; NaN at integers, as in torch.
Ref digamma(Emitter& out, Ref x) {
  const Ref is_negative = is_below(out, x, 0);
  const Ref y = positive_digamma(out, select(out, is_negative, minus_from(out, 1, x), x));
  const Ref part = fraction(out, x);
  const Ref tangent = out.elementwise("tan", {reduced_angle(out, part)});
  const Ref reflected = sub(out, y, over(out, kPi, tangent));
  const Ref is_integer = compare(out, "eq", part, like(out, 0, part));
  return select(out, is_negative, replaced(out, is_integer, kNan, reflected), y);
}

Ref to_the_power(Emitter& out, Ref x, double exponent) {
  return out.elementwise("pow", {x, like(out, exponent, x)});
}

/// sum of (q + k)^-s over k >= 0, for q >= 0: nine terms, then Euler and Maclaurin.
Ref positive_zeta(Emitter& out, double s, Ref q) {
  constexpr int kTerms = 9;
  Ref sum = to_the_power(out, q, -s);
  for (int k = 1; k < kTerms; ++k) sum = add(out, sum, to_the_power(out, plus(out, q, k), -s));
  const Ref w = plus(out, q, kTerms);
  const Ref last = to_the_power(out, w, -s);
  sum = add(out, sum, times(out, to_the_power(out, w, 1 - s), 1 / (s - 1)));
  sum = add(out, sum, times(out, last, 0.5));
  const Ref inverse = over(out, 1, w);
  const Ref z = mul(out, inverse, inverse);
  Ref term = mul(out, last, inverse);
  double factor = s;
  for (size_t i = 0; i < std::size(kZeta); ++i) {
    sum = add(out, sum, times(out, term, factor / kZeta[i]));
    term = mul(out, term, z);
    const double k = s + 2 * static_cast<double>(i);
    factor *= (k + 1) * (k + 2);
  }
  return sum;
}

/// The n-th derivative of cot(t) as a polynomial in cot(t), highest power first.
std::vector<double> cotangent_derivative(int64_t n) {
  std::vector<double> low_first = {0, 1};
  for (; n > 0; --n) {
    std::vector<double> next(low_first.size() + 1, 0);
    for (size_t i = 1; i < low_first.size(); ++i) {
      const double slope = static_cast<double>(i) * low_first[i];
      next[i - 1] -= slope;
      next[i + 1] -= slope;
    }
    low_first = next;
  }
  return {low_first.rbegin(), low_first.rend()};
}

/// True for integers <= 0.
Ref is_pole(Emitter& out, Ref x) {
  return logical_and(out, logical_not(out, is_above(out, x, 0)),
                     compare(out, "eq", x, out.elementwise("floor", {x})));
}

/// The n-th derivative of digamma, n >= 1. Negative x by reflection; infinite at integers.
Ref polygamma_of(Emitter& out, int64_t n, Ref x) {
  const auto order = static_cast<double>(n);
  const Ref is_negative = is_below(out, x, 0);
  const Ref q = magnitude(out, select(out, is_negative, minus_from(out, 1, x), x));
  const double sign = n % 2 == 0 ? -1 : 1;
  const Ref y = times(out, positive_zeta(out, order + 1, q), sign * std::tgamma(order + 1));
  const Ref angle = reduced_angle(out, fraction(out, x));
  const Ref cot = over(out, 1, out.elementwise("tan", {angle}));
  const Ref derivative =
      times(out, polynomial(out, cot, cotangent_derivative(n)), std::pow(kPi, order + 1));
  const Ref reflected = sub(out, times(out, y, -sign), derivative);
  return replaced(out, is_pole(out, x), sign * kInfinity, select(out, is_negative, reflected, y));
}

/// For q < 0 an integer exponent uses the polygamma series; any other gives NaN.
Ref zeta_of(Emitter& out, double s, Ref q) {
  Ref y;
  if (s == std::floor(s)) {
    const auto n = static_cast<int64_t>(s) - 1;
    y = times(out, polygamma_of(out, n, q), (n % 2 == 0 ? -1 : 1) / std::tgamma(s));
  } else {
    y = replaced(out, is_below(out, q, 0), kNan, positive_zeta(out, s, q));
  }
  return replaced(out, is_pole(out, q), kInfinity, y);
}

Ref operand_in_f64(const OpView& op, Emitter& out) {
  return out.cast(op.tensor("self"), DType::f64);
}

template <Ref (*kFunction)(Emitter&, Ref)>
void function_in_f64(const OpView& op, Emitter& out) {
  finish(op, out, kFunction(out, operand_in_f64(op, out)));
}

void polygamma(const OpView& op, Emitter& out) {
  const int64_t n = op.i64("n");
  const Ref x = operand_in_f64(op, out);
  if (n == 0) return finish(op, out, digamma(out, x));
  if (n > kMostDerivatives)
    op.refuse("n", Limit::too_many_steps, cat("use n up to ", kMostDerivatives));
  finish(op, out, polygamma_of(out, n, x));
}

/// log of the multivariate gamma function: lgamma(x - j / 2) summed over j < p.
void mvlgamma(const OpView& op, Emitter& out) {
  const Ref x = operand_in_f64(op, out);
  const int64_t p = op.i64("p");
  const auto count = static_cast<double>(p);
  Ref sum = lgamma(out, x);
  for (int64_t j = 1; j < p; ++j)
    sum = add(out, sum, lgamma(out, plus(out, x, -static_cast<double>(j) / 2)));
  finish(op, out, plus(out, sum, count * (count - 1) / 4 * std::log(kPi)));
}

/// The exponent, which the series needs as a constant.
double known_exponent(const OpView& op) {
  if (!op.is_tensor("self")) return op.f64("self");
  const ir::Tensor value = op.constant("self");
  if (value.elements() != 1) op.refuse("self", Limit::several_numbers, "pass a number");
  return ir::element_f64(value, 0);
}

void zeta(const OpView& op, Emitter& out) {
  const double s = known_exponent(op);
  const Ref q = operand(op, out, "other", DType::f64);
  if (s > static_cast<double>(kMostDerivatives))
    op.refuse("self", Limit::too_many_steps, cat("use exponents up to ", kMostDerivatives));
  if (s > 1) return finish(op, out, zeta_of(out, s, q));
  finish(op, out, like(out, s == 1 ? kInfinity : kNan, q));
}

}  // namespace

void register_gamma(Registry& r) {
  r.elementwise({"aten::lgamma", "aten::special_gammaln"},
                {"log", "log(|gamma(self)|); relative error in f32 1e-7", function_in_f64<lgamma>,
                 Promotion::to_float});
  r.elementwise({"aten::digamma", "aten::special_digamma", "aten::special_psi"},
                {"log", "derivative of log(gamma(self)); relative error in f32 1e-7",
                 function_in_f64<digamma>, Promotion::to_float});
  r.elementwise(
      {"aten::polygamma", "aten::special_polygamma"},
      {"pow",
       "n-th derivative of digamma; 0 at infinity, where torch gives NaN; relative error in f32 "
       "1e-7",
       polygamma, Promotion::to_float, "n above 30"});
  r.elementwise(
      {"aten::mvlgamma", "aten::special_multigammaln"},
      {"log", "sum of lgamma(self - j / 2), j < p, and a constant", mvlgamma, Promotion::to_float});
  r.elementwise(
      {"aten::special_zeta", "aten::special_zeta.self_scalar", "aten::special_zeta.other_scalar"},
      {"pow",
       "sum of (other + k)^-self, k >= 0; 0 at infinity, where torch gives NaN; relative error in "
       "f32 1e-7",
       zeta, Promotion::to_float, "exponents that the model computes, or above 30"});
  r.elementwise({.op = "aten::igamma",
                 .also = {"aten::igammac", "aten::special_gammainc", "aten::special_gammaincc"},
                 .doc = "incomplete gamma functions",
                 .refusal = Refusal{Limit::unbounded_steps, "compute it outside the model"}});
}

}  // namespace t2n::ops
