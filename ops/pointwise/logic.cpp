// SPDX-License-Identifier: Apache-2.0
// Comparisons, booleans, bits, and choices between tensors.
#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/pointwise/families.h"
#include "src/diag/error.h"
#include "src/translate/arith.h"
#include "src/translate/registry.h"

namespace t2n::ops {
namespace {

using ir::Promotion;

constexpr BinaryRow kComparisons[] = {
    {"aten::eq.Tensor", "eq", "self == other"},
    {"aten::eq.Scalar", "eq", "self == other"},
    {"aten::ne.Tensor", "ne", "self != other"},
    {"aten::ne.Scalar", "ne", "self != other"},
    {"aten::not_equal.Tensor", "ne", "self != other"},
    {"aten::not_equal.Scalar", "ne", "self != other"},
    {"aten::lt.Tensor", "lt", "self < other"},
    {"aten::lt.Scalar", "lt", "self < other"},
    {"aten::less.Tensor", "lt", "self < other"},
    {"aten::less.Scalar", "lt", "self < other"},
    {"aten::le.Tensor", "le", "self <= other"},
    {"aten::le.Scalar", "le", "self <= other"},
    {"aten::less_equal.Tensor", "le", "self <= other"},
    {"aten::less_equal.Scalar", "le", "self <= other"},
    {"aten::gt.Tensor", "gt", "self > other"},
    {"aten::gt.Scalar", "gt", "self > other"},
    {"aten::greater.Tensor", "gt", "self > other"},
    {"aten::greater.Scalar", "gt", "self > other"},
    {"aten::ge.Tensor", "ge", "self >= other"},
    {"aten::ge.Scalar", "ge", "self >= other"},
    {"aten::greater_equal.Tensor", "ge", "self >= other"},
    {"aten::greater_equal.Scalar", "ge", "self >= other"},
};

constexpr BinaryRow kBitwise[] = {
    {"aten::bitwise_and.Tensor", "tract_core_bitand", "self & other"},
    {"aten::bitwise_and.Scalar", "tract_core_bitand", "self & other"},
    {"aten::bitwise_and.Scalar_Tensor", "tract_core_bitand", "self & other"},
    {"aten::__and__.Tensor", "tract_core_bitand", "self & other"},
    {"aten::__and__.Scalar", "tract_core_bitand", "self & other"},
    {"aten::bitwise_or.Tensor", "tract_core_bitor", "self | other"},
    {"aten::bitwise_or.Scalar", "tract_core_bitor", "self | other"},
    {"aten::bitwise_or.Scalar_Tensor", "tract_core_bitor", "self | other"},
    {"aten::__or__.Tensor", "tract_core_bitor", "self | other"},
    {"aten::__or__.Scalar", "tract_core_bitor", "self | other"},
    {"aten::bitwise_xor.Tensor", "tract_core_bitxor", "self ^ other"},
    {"aten::bitwise_xor.Scalar", "tract_core_bitxor", "self ^ other"},
    {"aten::bitwise_xor.Scalar_Tensor", "tract_core_bitxor", "self ^ other"},
    {"aten::__xor__.Tensor", "tract_core_bitxor", "self ^ other"},
    {"aten::__xor__.Scalar", "tract_core_bitxor", "self ^ other"},
};

constexpr BinaryRow kShifts[] = {
    {"aten::bitwise_left_shift.Tensor", "tract_shl", "self << other"},
    {"aten::bitwise_left_shift.Tensor_Scalar", "tract_shl", "self << other"},
    {"aten::bitwise_left_shift.Scalar_Tensor", "tract_shl", "self << other"},
    {"aten::__lshift__.Tensor", "tract_shl", "self << other"},
    {"aten::__lshift__.Scalar", "tract_shl", "self << other"},
    {"aten::bitwise_right_shift.Tensor", "tract_shr", "self >> other, with sign"},
    {"aten::bitwise_right_shift.Tensor_Scalar", "tract_shr", "self >> other, with sign"},
    {"aten::bitwise_right_shift.Scalar_Tensor", "tract_shr", "self >> other, with sign"},
    {"aten::__rshift__.Tensor", "tract_shr", "self >> other, with sign"},
    {"aten::__rshift__.Scalar", "tract_shr", "self >> other, with sign"},
};

constexpr BinaryRow kLogical[] = {
    {"aten::logical_and", "and", "both are nonzero", {}},
    {"aten::logical_or", "or", "at least one is nonzero", {}},
    {"aten::logical_xor", "tract_core_xor", "exactly one is nonzero", {}},
};

void comparison(const OpView& op, Emitter& out) {
  const auto [a, b] = operands(op, out);
  finish(op, out, compare(out, op.nnef(), a, b));
}

/// Operands of any dtype count as true where they are not zero.
void logical(const OpView& op, Emitter& out) {
  const Ref a = out.cast(op.tensor("self"), DType::boolean);
  const Ref b = out.cast(op.tensor("other"), DType::boolean);
  finish(op, out, out.elementwise(op.nnef(), {a, b}));
}

void negation(const OpView& op, Emitter& out) {
  finish(op, out, logical_not(out, out.cast(op.tensor("self"), DType::boolean)));
}

void bitwise(const OpView& op, Emitter& out) {
  const auto [a, b] = operands(op, out);
  finish(op, out, out.elementwise(op.nnef(), {a, b}));
}

void bitwise_not(const OpView& op, Emitter& out) {
  out.result("tract_core_bitnot", {op.tensor("self")});
}

bool is_within(const Emitter& out, Ref x, int64_t low, int64_t high) {
  const auto known = out.constant_value(x);
  if (!known) return false;
  const Ints values = ir::to_i64(*known);
  return std::all_of(values.begin(), values.end(),
                     [&](int64_t v) { return v >= low && v <= high; });
}

/// tract wraps shift counts that are out of range; torch shifts all bits out.
void shift(const OpView& op, Emitter& out) {
  const auto [a, b] = operands(op, out);
  T2N_ASSERT(ir::is_integer(out.dtype(a)), "torch shifts the bits of integers only");
  const int64_t last = ir::dtype_size(out.dtype(a)) * 8 - 1;
  if (is_within(out, b, 0, last)) return finish(op, out, out.elementwise(op.nnef(), {a, b}));
  const Ref zero = like(out, 0, b);
  const Ref all_but_one = like(out, static_cast<double>(last), b);
  const Ref is_out = add(out, compare(out, "lt", b, zero), compare(out, "gt", b, all_but_one));
  const Ref bits = minimum(out, maximum(out, b, zero), all_but_one);
  const Ref shifted = out.elementwise(op.nnef(), {a, bits});
  // The sign remains if bits are shifted to the right.
  const bool is_empty = op.nnef() == "tract_shl" || out.dtype(a) == DType::u8;
  const Ref gone = is_empty ? like(out, 0, a) : out.elementwise(op.nnef(), {a, all_but_one});
  finish(op, out, select(out, is_out, gone, shifted));
}

bool is_float(const OpView& op, const Emitter& out) {
  return ir::is_float(out.dtype(op.tensor("self")));
}

void same_answer(const OpView& op, Emitter& out, bool answer) {
  out.result(out.full(out.scalar(answer), op.shape()));
}

void isnan(const OpView& op, Emitter& out) {
  if (!is_float(op, out)) return same_answer(op, out, false);
  out.result(is_nan(out, op.tensor("self")));
}

void isinf(const OpView& op, Emitter& out) {
  if (!is_float(op, out)) return same_answer(op, out, false);
  const Ref x = op.tensor("self");
  out.result(compare(out, "eq", magnitude(out, x), like(out, kInfinity, x)));
}

void isfinite(const OpView& op, Emitter& out) {
  if (!is_float(op, out)) return same_answer(op, out, true);
  const Ref x = op.tensor("self");
  out.result(compare(out, "lt", magnitude(out, x), like(out, kInfinity, x)));
}

void isposinf(const OpView& op, Emitter& out) {
  if (!is_float(op, out)) return same_answer(op, out, false);
  const Ref x = op.tensor("self");
  out.result(compare(out, "eq", x, like(out, kInfinity, x)));
}

void isneginf(const OpView& op, Emitter& out) {
  if (!is_float(op, out)) return same_answer(op, out, false);
  const Ref x = op.tensor("self");
  out.result(compare(out, "eq", x, like(out, -kInfinity, x)));
}

/// |self - other| <= atol + rtol * |other|, of integers in f32; equal infinities are close.
void isclose(const OpView& op, Emitter& out) {
  Ref a = op.tensor("self");
  Ref b = op.tensor("other");
  const Ref same = compare(out, "eq", a, b);
  if (!ir::is_float(out.dtype(a))) {
    a = out.cast(a, DType::f32);
    b = out.cast(b, DType::f32);
  }
  const Ref allowed = add(out, like(out, op.f64("atol"), a),
                          mul(out, like(out, op.f64("rtol"), a), magnitude(out, b)));
  const Ref distance = magnitude(out, sub(out, a, b));
  const Ref near = logical_and(out, compare(out, "le", distance, allowed),
                               compare(out, "lt", distance, like(out, kInfinity, a)));
  Ref y = add(out, same, near);
  if (op.boolean("equal_nan")) y = add(out, y, logical_and(out, is_nan(out, a), is_nan(out, b)));
  finish(op, out, y);
}

/// The default replacements are the largest finite numbers of the dtype.
double largest(DType dtype) {
  if (dtype == DType::f16) return 65504;
  return dtype == DType::f32 ? static_cast<double>(std::numeric_limits<float>::max())
                             : std::numeric_limits<double>::max();
}

void nan_to_num(const OpView& op, Emitter& out) {
  const Ref x = op.tensor("self");
  const auto nan = op.opt_f64("nan"), high = op.opt_f64("posinf"), low = op.opt_f64("neginf");
  if (!ir::is_float(out.dtype(x))) return finish(op, out, x);
  const double limit = largest(out.dtype(x));
  const auto replace = [&](Ref y, Ref condition, double value) {
    return select(out, condition, like(out, value, y), y);
  };
  Ref y = replace(x, is_nan(out, x), nan.value_or(0));
  y = replace(y, compare(out, "eq", x, like(out, kInfinity, x)), high.value_or(limit));
  y = replace(y, compare(out, "eq", x, like(out, -kInfinity, x)), low.value_or(-limit));
  finish(op, out, y);
}

void where(const OpView& op, Emitter& out) {
  const Ref condition = out.cast(op.tensor("condition"), DType::boolean);
  const Ref self = operand(op, out, "self", op.dtype());
  const Ref other = operand(op, out, "other", op.dtype());
  finish(op, out, select(out, condition, self, other));
}

void masked_fill(const OpView& op, Emitter& out) {
  const Ref self = op.tensor("self");
  const Ref mask = out.cast(op.tensor("mask"), DType::boolean);
  const Ref value = op.is_tensor("value") ? out.cast(op.tensor("value"), op.dtype())
                                          : converted_number(op, out, "value", op.dtype());
  finish(op, out, select(out, mask, value, self));
}

void register_tests(Registry& r) {
  r.elementwise({"aten::isnan"}, {"eq", "self != self", isnan});
  r.elementwise({"aten::isinf"}, {"eq", "|self| == inf", isinf});
  r.elementwise({"aten::isfinite"}, {"eq", "|self| < inf", isfinite});
  r.elementwise({"aten::isposinf"}, {"eq", "self == inf", isposinf});
  r.elementwise({"aten::isneginf"}, {"eq", "self == -inf", isneginf});
  r.elementwise({"aten::isclose"},
                {"le", "|self - other| <= atol + rtol * |other|", isclose, Promotion::operands});
}

/// With a condition alone: the positions where it is true, along each axis.
Shapes where_shapes(const ShapeView& op) { return repeated(op, {shapes::unbacked_size()}); }

/// The bits of both stay below the next power of two.
Bounds bit_bounds(const OperandBounds& x) {
  const Bounds both = hull(x.at("self"), x.at("other"));
  double power = 1;
  while (power <= magnitude(both)) power *= 2;
  return both.low >= 0 ? Bounds{0, power - 1} : Bounds{-power, power - 1};
}

Bounds common_bit_bounds(const OperandBounds& x) {
  const Bounds a = x.at("self"), b = x.at("other");
  if (a.low >= 0 && b.low >= 0) return {0, std::min(a.high, b.high)};
  if (a.low >= 0) return {0, a.high};
  return b.low >= 0 ? Bounds{0, b.high} : bit_bounds(x);
}

Bounds other_bit_bounds(const OperandBounds& x) {
  return Bounds{-1, -1} + Bounds{-1, -1} * x.at("self");
}

Bounds shifted_bounds(const OperandBounds& x) {
  constexpr double kMost = 64;
  const auto power = [&](double count) { return std::exp2(std::clamp(count, 0.0, kMost)); };
  const Bounds count = x.at("other");
  const Bounds shifted = x.at("self") * Bounds{power(count.low), power(count.high)};
  return hull(shifted, {0, 0});  // of counts out of range
}

}  // namespace

void register_logic(Registry& r) {
  r.binary(kComparisons, comparison);
  r.binary(kBitwise, bitwise);
  r.binary(kShifts, shift);
  r.binary(kLogical, logical);
  register_tests(r);
  r.elementwise({"aten::logical_not"}, {"not", "self == 0", negation});
  r.elementwise({"aten::bitwise_not"}, {"tract_core_bitnot", "~self; booleans: not", bitwise_not});
  r.elementwise({"aten::nan_to_num"},
                {"select", "self with other numbers for NaN and the infinities", nan_to_num});
  r.elementwise({"aten::where.self", "aten::where.ScalarSelf", "aten::where.ScalarOther",
                 "aten::where.Scalar"},
                {"select", "self where condition, else other", where});
  r.elementwise({"aten::masked_fill.Scalar", "aten::masked_fill.Tensor"},
                {"select", "value where mask, else self", masked_fill});
  r.shapes(where_shapes, "where");
  r.bounds({bit_bounds, true}, "bitwise_or bitwise_xor __or__ __xor__ __ior__ __ixor__");
  r.bounds({common_bit_bounds, true}, "bitwise_and __and__ __iand__");
  r.bounds({other_bit_bounds, true}, "bitwise_not");
  r.bounds({shifted_bounds, true}, "bitwise_left_shift __lshift__ __ilshift__");
  r.bounds({bounds::at_most_self}, "bitwise_right_shift __rshift__ __irshift__");
  r.bounds({bounds::kept}, "where masked_fill nan_to_num");
}

}  // namespace t2n::ops
