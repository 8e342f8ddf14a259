// Quotients and remainders: true, truncated and floored, exact in floats and integers.
#include "ops/arith.h"
#include "ops/elementwise.h"
#include "ops/registry.h"
#include "src/diag/error.h"

namespace t2n::ops {
namespace {

using ir::Promotion;

enum class Rounding { floor, trunc };

struct Division {
  Ref quotient;
  Ref remainder;
};

bool is_positive_constant(const Emitter& out, Ref x) {
  const auto value = out.constant_value(x);
  if (!value) return false;
  for (const int64_t element : ir::to_i64(*value))
    if (element <= 0) return false;
  return true;
}

/// Whether the rest is not 0 and has another sign than `other`.
Ref has_wrong_sign(Emitter& out, Ref rest, Ref other) {
  const Ref zero = like(out, 0, rest);
  const Ref is_negative = compare(out, "lt", rest, zero);
  if (is_positive_constant(out, other)) return is_negative;
  const Ref differs = logical_xor(out, is_negative, compare(out, "lt", other, zero));
  return logical_and(out, compare(out, "ne", rest, zero), differs);
}

/// tract's integer quotient is truncated, but before 0.23 floored where the divisor is a power of
/// two: the sign of the remainder tells which, and both are corrected.
Division divide_integers(Emitter& out, Ref a, Ref b, Rounding rounding) {
  const Ref quotient = div(out, a, b);
  const Ref rest = sub(out, a, mul(out, quotient, b));
  const bool is_floor = rounding == Rounding::floor;
  const Ref is_off = has_wrong_sign(out, rest, is_floor ? b : a);
  const Ref step = out.cast(is_off, out.dtype(a));
  const Ref change = select(out, is_off, b, like(out, 0, b));
  if (is_floor) return {sub(out, quotient, step), add(out, rest, change)};
  return {add(out, quotient, step), sub(out, rest, change)};
}

/// In f64 the quotient of two f32 values is never rounded up to an integer, and its product with
/// the divisor is exact: the results are those of C's fmod.
std::pair<Ref, Ref> in_f64(const OpView& op, Emitter& out, Ref a, Ref b) {
  if (out.dtype(a) == DType::f64) op.refuse_op(Limit::quotient_f64, "compute it in float32");
  return {out.cast(a, DType::f64), out.cast(b, DType::f64)};
}

Ref floor_quotient(const OpView& op, Emitter& out, Ref a, Ref b) {
  if (!ir::is_float(out.dtype(a))) return divide_integers(out, a, b, Rounding::floor).quotient;
  const auto [x, y] = in_f64(op, out, a, b);
  return out.elementwise("floor", {div(out, x, y)});
}

Ref trunc_quotient(Emitter& out, Ref a, Ref b) {
  if (!ir::is_float(out.dtype(a))) return divide_integers(out, a, b, Rounding::trunc).quotient;
  return out.elementwise("t2n_trunc", {div(out, widened(out, a), widened(out, b))});
}

void divide(const OpView& op, Emitter& out) {
  const auto [a, b] = operands(op, out);
  finish(op, out, div(out, a, b));
}

/// Without a mode integers are divided in the float dtype that torch gave the result.
void divide_with_mode(const OpView& op, Emitter& out) {
  const auto [a, b] = operands(op, out);
  if (op.is_none("rounding_mode")) {
    const DType dtype = ir::is_float(out.dtype(a)) ? out.dtype(a) : op.dtype();
    return finish(op, out, div(out, out.cast(a, dtype), out.cast(b, dtype)));
  }
  const auto mode = op.one_of("rounding_mode", {"trunc", "floor"});
  finish(op, out, mode == "floor" ? floor_quotient(op, out, a, b) : trunc_quotient(out, a, b));
}

void floor_divide(const OpView& op, Emitter& out) {
  const auto [a, b] = operands(op, out);
  finish(op, out, floor_quotient(op, out, a, b));
}

/// op.nnef() is the fragment for floats.
void remainder(const OpView& op, Emitter& out) {
  const auto [a, b] = operands(op, out);
  if (ir::is_float(out.dtype(a))) {
    const auto [x, y] = in_f64(op, out, a, b);
    return finish(op, out, out.elementwise(op.nnef(), {x, y}));
  }
  const auto rounding = op.nnef() == "t2n_fmod" ? Rounding::trunc : Rounding::floor;
  finish(op, out, divide_integers(out, a, b, rounding).remainder);
}

}  // namespace

void register_division(Registry& r) {
  constexpr std::string_view kLimits = "f64 operands";
  r.add({.op = "aten::div.Tensor",
         .also = {"aten::div.Scalar", "aten::divide.Tensor", "aten::divide.Scalar",
                  "aten::true_divide.Tensor", "aten::true_divide.Scalar"},
         .doc = "self / other",
         .variants = {{any_target(), "div", divide}},
         .promotion = Promotion::to_float});
  r.add({.op = "aten::div.Tensor_mode",
         .also = {"aten::div.Scalar_mode", "aten::divide.Tensor_mode", "aten::divide.Scalar_mode"},
         .doc = "self / other, rounded towards zero or down",
         .variants = {{any_target(), "div", divide_with_mode}},
         .limits = "rounding_mode='floor' of f64 operands",
         .promotion = Promotion::operands});
  r.add({.op = "aten::floor_divide",
         .also = {"aten::floor_divide.Scalar"},
         .doc = "floor(self / other)",
         .variants = {{any_target(), "div", floor_divide}},
         .limits = kLimits,
         .promotion = Promotion::operands});
  r.add({.op = "aten::remainder.Tensor",
         .also = {"aten::remainder.Scalar", "aten::remainder.Scalar_Tensor"},
         .doc = "self - floor(self / other) * other",
         .variants = {{any_target(), "t2n_remainder", remainder}},
         .limits = kLimits,
         .promotion = Promotion::operands});
  r.add({.op = "aten::fmod.Tensor",
         .also = {"aten::fmod.Scalar"},
         .doc = "self - trunc(self / other) * other",
         .variants = {{any_target(), "t2n_fmod", remainder}},
         .limits = kLimits,
         .promotion = Promotion::operands});
}

}  // namespace t2n::ops
