// SPDX-License-Identifier: Apache-2.0
// Special functions of a few steps, and the approximations that others use.
#include "ops/pointwise/special.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "ops/pointwise/families.h"
#include "src/diag/error.h"
#include "src/translate/registry.h"

namespace t2n::ops {
namespace {

using ir::Promotion;

/// Drops terms below the last digit of the largest one.
Coefficients visible_terms(Coefficients c, DType dtype) {
  if (dtype == DType::f64) return c;
  double largest = 0;
  for (const double term : c) largest = std::max(largest, std::abs(term));
  while (std::abs(c.front()) < largest * 0x1p-27) c = c.subspan(1);
  return c;
}

Ref power_of_two(Emitter& out, Ref exponent) {
  return out.elementwise("pow", {like(out, 2, exponent), exponent});
}

void entr(const OpView& op, Emitter& out) {
  const Ref x = widened(out, op.tensor("self"));
  const Ref y = neg(out, mul(out, x, out.elementwise("log", {x})));
  const Ref is_zero = compare(out, "eq", x, like(out, 0, x));
  finish(op, out, replaced(out, is_below(out, x, 0), -kInfinity, replaced(out, is_zero, 0, y)));
}

void xlog1py(const OpView& op, Emitter& out) {
  const auto [x, y] = operands(op, out);
  const Ref wide = widened(out, x), other = widened(out, y);
  const auto known = out.constant_value(other);
  // A fragment with only literals would compute in f32.
  const Ref log = known && known->elements() == 1
                      ? like(out, std::log1p(ir::element_f64(*known, 0)), other)
                      : out.elementwise("t2n_log1p", {other});
  const Ref product = mul(out, wide, log);
  const Ref is_zero = logical_and(out, compare(out, "eq", wide, like(out, 0, wide)),
                                  compare(out, "eq", other, other));
  finish(op, out, replaced(out, is_zero, 0, product));
}

/// max + log2(1 + 2^-|a - b|); the sum of equal infinities is the infinity itself.
void logaddexp2(const OpView& op, Emitter& out) {
  const auto [x, y] = operands(op, out);
  const Ref a = widened(out, x), b = widened(out, y);
  const Ref top = maximum(out, a, b);
  const Ref gap = neg(out, magnitude(out, sub(out, a, b)));
  const Ref rest =
      times(out, out.elementwise("t2n_log1p", {power_of_two(out, gap)}), std::numbers::log2e);
  const Ref is_infinite =
      logical_and(out, compare(out, "eq", a, b),
                  compare(out, "eq", magnitude(out, a), like(out, kInfinity, a)));
  finish(op, out, select(out, is_infinite, a, add(out, top, rest)));
}

/// self * 2^other, with the power in torch's dtype for it.
void ldexp(const OpView& op, Emitter& out) {
  const DType dtype = op.dtype() == DType::f64 ? DType::f64 : DType::f32;
  const Ref exponent = out.cast(op.tensor("other"), dtype);
  finish(op, out, mul(out, out.cast(op.tensor("self"), dtype), power_of_two(out, exponent)));
}

struct Split {
  Ref mantissa, exponent;
};

/// x * 2^-exponent in two steps: one power alone may overflow.
Ref scaled_down(Emitter& out, Ref x, Ref exponent) {
  const Ref half = out.elementwise("floor", {times(out, exponent, 0.5)});
  const Ref rest = sub(out, exponent, half);
  return mul(out, mul(out, x, power_of_two(out, neg(out, half))),
             power_of_two(out, neg(out, rest)));
}

/// Mantissas in 1/2 .. 1. The logarithm may be off by one near powers of two.
Split mantissa_and_exponent(Emitter& out, Ref x) {
  const Ref size = magnitude(out, x);
  const Ref log2 = times(out, out.elementwise("log", {size}), std::numbers::log2e);
  const Ref guess = plus(out, out.elementwise("floor", {log2}), 1);
  const Ref m = scaled_down(out, size, guess);
  const Ref is_large = compare(out, "ge", m, like(out, 1, m));
  const Ref is_small = is_below(out, m, 0.5);
  const Ref one_up = replaced(out, is_large, 1, replaced(out, is_small, -1, like(out, 0, m)));
  const Ref exponent = add(out, guess, one_up);
  return {scaled_down(out, x, exponent), exponent};
}

/// Zero, infinity and NaN are their own mantissa.
void frexp(const OpView& op, Emitter& out) {
  const Ref x = out.cast(op.tensor("self"), DType::f64);
  const Split parts = mantissa_and_exponent(out, x);
  const Ref size = magnitude(out, x);
  const Ref is_plain = logical_and(out, is_above(out, size, 0), is_below(out, size, kInfinity));
  finish(op, out, select(out, is_plain, parts.mantissa, x), 0);
  finish(op, out, select(out, is_plain, parts.exponent, like(out, 0, x)), 1);
}

Bounds divisor_bounds(const OperandBounds& x) {
  return {0, std::max(magnitude(x.at("self")), magnitude(x.at("other")))};
}

}  // namespace

Ref polynomial(Emitter& out, Ref x, Coefficients c) {
  Ref y = like(out, c[0], x);
  for (size_t i = 1; i < c.size(); ++i) {
    const bool is_one = i == 1 && c[0] == 1;
    const Ref product = is_one ? x : mul(out, y, x);
    y = c[i] == 0 ? product : plus(out, product, c[i]);
  }
  return y;
}

Ref rational(Emitter& out, Ref x, Coefficients top, Coefficients bottom) {
  return div(out, polynomial(out, x, top), polynomial(out, x, bottom));
}

Ref chebyshev(Emitter& out, Ref x, Coefficients c) {
  c = visible_terms(c, out.dtype(x));
  Ref two_before = like(out, 0, x), before = like(out, 0, x), y = like(out, c[0], x);
  for (size_t i = 1; i < c.size(); ++i) {
    two_before = before;
    before = y;
    const Ref next = plus(out, mul(out, x, before), c[i]);
    y = i == 1 ? next : sub(out, next, two_before);
  }
  return times(out, sub(out, y, two_before), 0.5);
}

Ref plus(Emitter& out, Ref x, double number) { return add(out, x, like(out, number, x)); }
Ref times(Emitter& out, Ref x, double number) { return mul(out, x, like(out, number, x)); }
Ref natural_log(Emitter& out, Ref x) { return out.elementwise("log", {x}); }

Ref minus_from(Emitter& out, double number, Ref x) { return sub(out, like(out, number, x), x); }
Ref over(Emitter& out, double number, Ref x) {
  return number == 1 ? out.elementwise("recip", {x}) : div(out, like(out, number, x), x);
}
Ref is_below(Emitter& out, Ref x, double number) {
  return compare(out, "lt", x, like(out, number, x));
}
Ref is_above(Emitter& out, Ref x, double number) {
  return compare(out, "gt", x, like(out, number, x));
}
Ref capped(Emitter& out, Ref x, double most) {
  return replaced(out, is_above(out, x, most), most, x);
}
Ref replaced(Emitter& out, Ref condition, double number, Ref x) {
  return select(out, condition, like(out, number, x), x);
}

void fragment_of_self(const OpView& op, Emitter& out) {
  finish(op, out, out.elementwise(op.nnef(), {widened(out, op.tensor("self"))}));
}

void register_special(Registry& r) {
  r.elementwise({"aten::special_entr"},
                {"log", "-self * log(self), -inf below 0", entr, Promotion::to_float});
  r.elementwise(
      {"aten::special_xlog1py", "aten::special_xlog1py.self_scalar",
       "aten::special_xlog1py.other_scalar"},
      {"t2n_log1p", "self * log(1 + other), 0 where self is 0", xlog1py, Promotion::to_float});
  r.elementwise({"aten::logaddexp2"},
                {"t2n_log1p", "log2(2^self + 2^other)", logaddexp2, Promotion::to_float});
  r.elementwise({"aten::ldexp.Tensor"}, {"pow", "self * 2^other", ldexp});
  r.elementwise({"aten::frexp.Tensor"}, {"pow", "mantissa in 1/2..1 and exponent of 2", frexp});
  r.elementwise({.op = "aten::nextafter",
                 .doc = "the next number towards other",
                 .refusal = Refusal{Limit::reinterpretation, "compute it outside the model"}});
  r.elementwise({.op = "aten::gcd",
                 .also = {"aten::lcm"},
                 .doc = "greatest common divisor and least common multiple",
                 .refusal = Refusal{Limit::unbounded_steps, "compute it outside the model"}});
  r.bounds({bounds::product, true}, "lcm");
  r.bounds({divisor_bounds}, "gcd");
}

}  // namespace t2n::ops
