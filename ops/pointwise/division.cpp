// SPDX-License-Identifier: Apache-2.0
// Quotients and remainders: true, truncated and floored, exact in floats and integers.
#include "ops/pointwise/families.h"
#include "src/diag/error.h"
#include "src/translate/arith.h"
#include "src/translate/integer_division.h"
#include "src/translate/quotient.h"
#include "src/translate/registry.h"

namespace t2n::ops {
namespace {

using ir::Promotion;

/// a - count * b. With an infinite divisor the result is the dividend.
Ref without_multiple(Emitter& out, Ref a, Ref count, Ref b) {
  const Ref zero = like(out, 0, a);
  const Ref is_zero = compare(out, "eq", count, zero);
  const Ref product = select(out, is_zero, zero, mul(out, count, b));
  const Ref rest = sub(out, a, product);
  if (out.has(target::Feature::computes_f64)) return rest;
  const Ref error = error_of_product(out, count, b, product);
  return sub(out, rest, select(out, is_zero, zero, error));
}

/// C's fmod with its quotient, for operands >= 0. tract multiplies by the reciprocal, so that the
/// quotient may be off by one; the remainder shows it.
Division divide_magnitudes(Emitter& out, Ref a, Ref b) {
  Ref quotient = out.elementwise("floor", {div(out, a, b)});
  const Ref zero = like(out, 0, a);
  Ref rest = without_multiple(out, a, quotient, b);
  if (!out.has(target::Feature::computes_f64)) {  // a quotient beyond 2^24 is approximate
    const Ref more = out.elementwise("floor", {div(out, rest, b)});
    rest = without_multiple(out, rest, more, b);
    quotient = add(out, quotient, more);
  }
  const Ref is_high = compare(out, "lt", rest, zero);
  const Ref is_low = compare(out, "ge", rest, b);
  const Ref one = like(out, 1, a);
  const auto corrected = [&](Ref x, Ref up, Ref down) {
    return select(out, is_high, down, select(out, is_low, up, x));
  };
  return {corrected(quotient, add(out, quotient, one), sub(out, quotient, one)),
          corrected(rest, sub(out, rest, b), add(out, rest, b))};
}

/// Truncated division in f64, where products of f32 divisors and quotients are exact. The remainder
/// has the sign of `a`.
Division divide_floats(const OpView& op, Emitter& out, Ref a, Ref b) {
  if (out.dtype(a) == DType::f64 && out.has(target::Feature::computes_f64))
    op.refuse_op(Limit::quotient_f64, "compute it in float32");
  const Ref x = out.cast(a, DType::f64), y = out.cast(b, DType::f64);
  const Division d = divide_magnitudes(out, magnitude(out, x), magnitude(out, y));
  const Ref zero = like(out, 0, x);
  const Ref is_negative = compare(out, "lt", x, zero);
  const Ref differs = logical_xor(out, is_negative, compare(out, "lt", y, zero));
  const Ref quotient = select(out, differs, neg(out, d.quotient), d.quotient);
  // The sign of a zero divisor selects the infinity.
  return {select(out, compare(out, "eq", y, zero), div(out, x, y), quotient),
          select(out, is_negative, neg(out, d.remainder), d.remainder)};
}

/// Floored division: a remainder of the wrong sign belongs to the next lower quotient. Torch
/// subtracts the remainder first, so that an infinite dividend gives NaN.
Division divide_floats_down(const OpView& op, Emitter& out, Ref a, Ref b) {
  const Division d = divide_floats(op, out, a, b);
  const Ref x = out.cast(a, DType::f64), y = out.cast(b, DType::f64);
  const Ref is_off = has_wrong_sign(out, d.remainder, y);
  const Ref lower = sub(out, d.quotient, like(out, 1, d.quotient));
  const Ref is_infinite = compare(out, "eq", y, like(out, 0, y));
  const Ref rounded = add(out, select(out, is_off, lower, d.quotient), sub(out, x, x));
  return {select(out, is_infinite, d.quotient, rounded),
          select(out, is_off, add(out, d.remainder, y), d.remainder)};
}

Division divide(const OpView& op, Emitter& out, Ref a, Ref b, Rounding rounding) {
  if (!ir::is_float(out.dtype(a))) return divide_integers(out, a, b, rounding);
  return rounding == Rounding::floor ? divide_floats_down(op, out, a, b)
                                     : divide_floats(op, out, a, b);
}

/// torch truncates the rounded quotient: the f64 quotient is exact enough to be rounded to f32.
Ref trunc_quotient(const OpView& op, Emitter& out, Ref a, Ref b) {
  if (!ir::is_float(out.dtype(a))) return divide_integers(out, a, b, Rounding::trunc).quotient;
  if (out.dtype(a) == DType::f64 && out.has(target::Feature::computes_f64))
    op.refuse_op(Limit::quotient_f64, "compute it in float32");
  const Ref quotient = div(out, out.cast(a, DType::f64), out.cast(b, DType::f64));
  return out.elementwise("t2n_trunc", {out.cast(quotient, DType::f32)});
}

void divide(const OpView& op, Emitter& out) {
  const auto [a, b] = operands(op, out);
  finish(op, out, quotient(op, out, a, b));
}

/// Without a mode integers are divided in the float dtype that torch gave the result.
void divide_with_mode(const OpView& op, Emitter& out) {
  const auto [a, b] = operands(op, out);
  if (op.is_none("rounding_mode")) {
    const DType dtype = ir::is_float(out.dtype(a)) ? out.dtype(a) : op.dtype();
    return finish(op, out, quotient(op, out, out.cast(a, dtype), out.cast(b, dtype)));
  }
  const bool is_floor = op.one_of("rounding_mode", {"trunc", "floor"}) == "floor";
  finish(
      op, out,
      is_floor ? divide(op, out, a, b, Rounding::floor).quotient : trunc_quotient(op, out, a, b));
}

void floor_divide(const OpView& op, Emitter& out) {
  const auto [a, b] = operands(op, out);
  finish(op, out, divide(op, out, a, b, Rounding::floor).quotient);
}

template <Rounding kRounding>
void remainder(const OpView& op, Emitter& out) {
  const auto [a, b] = operands(op, out);
  finish(op, out, divide(op, out, a, b, kRounding).remainder);
}

Bounds remainder_bounds(const OperandBounds& x) { return up_to(magnitude(x.at("other"))); }

}  // namespace

void register_division(Registry& r) {
  constexpr std::string_view kLimits =
      "f64 operands; remainders are wrong for quotients above 2^29";
  r.elementwise({"aten::div.Tensor", "aten::div.Scalar", "aten::divide.Tensor",
                 "aten::divide.Scalar", "aten::true_divide.Tensor", "aten::true_divide.Scalar"},
                {"div", "self / other", divide, Promotion::to_float});
  r.elementwise({"aten::div.Tensor_mode", "aten::div.Scalar_mode", "aten::divide.Tensor_mode",
                 "aten::divide.Scalar_mode"},
                {"div", "self / other, rounded towards zero or down", divide_with_mode,
                 Promotion::operands, "rounding_mode of f64 operands"});
  r.elementwise({"aten::floor_divide", "aten::floor_divide.Scalar"},
                {"div", "floor(self / other)", floor_divide, Promotion::operands, "f64 operands"});
  r.elementwise(
      {"aten::remainder.Tensor", "aten::remainder.Scalar", "aten::remainder.Scalar_Tensor"},
      {"floor", "self - floor(self / other) * other", remainder<Rounding::floor>,
       Promotion::operands, kLimits});
  r.elementwise({"aten::fmod.Tensor", "aten::fmod.Scalar"},
                {"floor", "self - trunc(self / other) * other", remainder<Rounding::trunc>,
                 Promotion::operands, kLimits});
  r.bounds({bounds::at_most_self}, "floor_divide div divide");
  r.bounds({remainder_bounds}, "remainder fmod");
}

}  // namespace t2n::ops
