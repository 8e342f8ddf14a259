// SPDX-License-Identifier: Apache-2.0
// Functions of several steps, in forms that keep their precision near zero and for large operands.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "ops/pointwise/families.h"
#include "ops/pointwise/special.h"
#include "src/diag/error.h"
#include "src/translate/arith.h"
#include "src/translate/registry.h"

namespace t2n::ops {
namespace {

using ir::Promotion;

/// One operand, computed in f32 where it is f16.
constexpr UnaryRow kMathFragments[] = {
    {"aten::expm1", "t2n_expm1", "exp(self) - 1"},
    {"aten::special_expm1", "t2n_expm1", "exp(self) - 1"},
    {"aten::log1p", "t2n_log1p", "log(1 + self)"},
    {"aten::special_log1p", "t2n_log1p", "log(1 + self)"},
};

constexpr UnaryRow kErrorFunctions[] = {
    {"aten::erf", "tract_core_erf", "2 / sqrt(pi) * integral of exp(-t^2) from 0 to self"},
    {"aten::special_erf", "tract_core_erf", "2 / sqrt(pi) * integral of exp(-t^2) from 0 to self"},
    {"aten::erfc", "t2n_erfc", "1 - erf(self)"},
    {"aten::special_erfc", "t2n_erfc", "1 - erf(self)"},
};

struct ScaleRow {
  std::string_view op;
  std::string_view nnef;  ///< applied first
  double factor;
  std::string_view doc;
  double base = 0;  ///< of a logarithm
};
constexpr ScaleRow kScaled[] = {
    {"aten::log2", "log", std::numbers::log2e, "log(self) / log(2)", 2},
    {"aten::log10", "log", std::numbers::log10e, "log(self) / log(10)", 10},
    {"aten::deg2rad", "", std::numbers::pi / 180, "self * pi / 180"},
    {"aten::rad2deg", "", 180 / std::numbers::pi, "self * 180 / pi"},
};

void erf_or_erfc(const OpView& op, Emitter& out) {
  const Ref x = op.tensor("self");
  if (out.dtype(x) != DType::f64)
    return finish(op, out, out.elementwise(op.nnef(), {widened(out, x)}));
  const bool is_erf = op.nnef() == "tract_core_erf";  // which tract has in f16 and f32
  finish(op, out, is_erf ? error_function(out, x) : complementary_error_function(out, x));
}

/// A logarithm that is an integer where x is a power of the base: a step may follow.
Ref exact_logarithm(Emitter& out, Ref x, Ref logarithm, double base) {
  const Ref integer = out.elementwise("round", {logarithm});
  const Ref power = out.elementwise("pow", {like(out, base, x), integer});
  return select(out, compare(out, "eq", power, x), integer, logarithm);
}

void scaled_function(const OpView& op, Emitter& out) {
  const auto row = std::find_if(std::begin(kScaled), std::end(kScaled),
                                [&](const ScaleRow& r) { return r.op == op.op(); });
  const Ref x = widened(out, op.tensor("self"));
  const Ref applied = row->nnef.empty() ? x : out.elementwise(row->nnef, {x});
  const Ref y = mul(out, applied, like(out, row->factor, x));
  finish(op, out, row->base == 0 ? y : exact_logarithm(out, x, y, row->base));
}

void exp2(const OpView& op, Emitter& out) {
  const Ref x = op.tensor("self");
  finish(op, out, out.elementwise("pow", {like(out, 2, x), x}));
}

void sigmoid(const OpView& op, Emitter& out) {
  const Ref x = op.tensor("self");
  out.result(out.dtype(x) == DType::f64 ? "t2n_sigmoid" : "sigmoid", {x});
}

/// A power of floats; a number with an operation of its own uses it. An exponent that is a tensor
/// does not: of -infinity, torch's general power and its root differ.
Ref float_power(const OpView& op, Emitter& out, Ref base, Ref exponent) {
  if (op.is_tensor("exponent")) return out.elementwise("pow", {base, exponent});
  if (is_number(out, exponent, 0.5)) return out.elementwise("sqrt", {base});
  if (is_number(out, exponent, -0.5)) return out.elementwise("rsqrt", {base});
  if (is_number(out, exponent, -1)) return out.elementwise("recip", {base});
  return out.elementwise("pow", {base, exponent});
}

bool has_negative(const ir::Tensor& integers) {
  const Ints values = ir::to_i64(integers);
  return std::any_of(values.begin(), values.end(), [](int64_t each) { return each < 0; });
}

/// tract has powers of i32 and i64, but turns an exponent of 2 into a square, which is float only.
Ref int_power(Emitter& out, Ref base, Ref exponent) {
  if (is_number(out, exponent, 2)) return mul(out, base, base);
  const DType dtype = out.dtype(base);
  const Ref wide = out.cast(base, DType::i64);
  const Ref by = out.cast(exponent, DType::i64);
  if (const auto known = out.constant_value(exponent); known && !has_negative(*known))
    return out.cast(out.elementwise("pow", {wide, by}), dtype);
  // A negative power of 1 or -1 equals the opposite power; of other numbers it is 0.
  const Ref power = out.elementwise("pow", {wide, magnitude(out, by)});
  const Ref is_zero = logical_and(out, compare(out, "lt", by, like(out, 0, by)),
                                  compare(out, "ne", magnitude(out, wide), like(out, 1, wide)));
  return out.cast(select(out, is_zero, like(out, 0, wide), power), dtype);
}

Ref power(const OpView& op, Emitter& out, Ref base, Ref exponent) {
  return ir::is_float(out.dtype(base)) ? float_power(op, out, base, exponent)
                                       : int_power(out, base, exponent);
}

void pow(const OpView& op, Emitter& out) {
  const DType dtype = out.dtype(op.tensor(op.is_tensor("self") ? "self" : "exponent"));
  if (!out.has(target::Feature::computes_integers) && ir::is_integer(dtype) &&
      ir::dtype_size(dtype) <= 2)
    op.refuse_op(Limit::narrow_integers, "compute the power in float32 or int64");
  finish(op, out,
         power(op, out, operand(op, out, "self", dtype), operand(op, out, "exponent", dtype)));
}

/// Always computed in f64.
void float_power_f64(const OpView& op, Emitter& out) {
  const Ref base = operand(op, out, "self", DType::f64);
  finish(op, out, float_power(op, out, base, operand(op, out, "exponent", DType::f64)));
}

/// In f64, so that squares of f32 neither overflow nor vanish.
void hypot(const OpView& op, Emitter& out) {
  const Ref a = out.cast(op.tensor("self"), DType::f64);
  const Ref b = out.cast(op.tensor("other"), DType::f64);
  if (out.has(target::Feature::computes_f64) && op.dtype() != DType::f64)
    return finish(op, out, out.elementwise("sqrt", {add(out, mul(out, a, a), mul(out, b, b))}));
  // Squares would overflow; squares of the quotients by the larger one do not.
  const Ref x = magnitude(out, a), y = magnitude(out, b);
  const Ref large = maximum(out, x, y);
  const Ref share = div(out, minimum(out, x, y), large);
  const Ref root = out.elementwise("sqrt", {add(out, mul(out, share, share), like(out, 1, a))});
  const Ref is_equal = compare(out, "eq", x, y);  // infinities and zeros have no quotient
  const Ref both = mul(out, large, like(out, 1.4142135623730951, a));
  finish(op, out, select(out, is_equal, both, mul(out, large, root)));
}

/// True for -0 as well: its reciprocal is negative.
Ref sign_bit(Emitter& out, Ref x) {
  const Ref is_negative = compare(out, "lt", x, like(out, 0, x));
  if (!ir::is_float(out.dtype(x))) return is_negative;
  const Ref inverse = out.elementwise("recip", {x});
  return add(out, is_negative, compare(out, "lt", inverse, like(out, 0, x)));
}

void signbit(const OpView& op, Emitter& out) { finish(op, out, sign_bit(out, op.tensor("self"))); }

void copysign(const OpView& op, Emitter& out) {
  const auto [a, b] = operands(op, out);
  const Ref size = magnitude(out, a);
  finish(op, out, select(out, sign_bit(out, b), neg(out, size), size));
}

void atan2(const OpView& op, Emitter& out) {
  const auto [y, x] = operands(op, out);
  const Ref wide = widened(out, x);
  const Ref pi = like(out, std::numbers::pi, wide);
  finish(op, out, out.elementwise(op.nnef(), {widened(out, y), wide, pi}));
}

void logaddexp(const OpView& op, Emitter& out) {
  const auto [a, b] = operands(op, out);
  const Ref wide = widened(out, a);
  const Ref ln2 = like(out, std::numbers::ln2, wide);
  finish(op, out, out.elementwise(op.nnef(), {wide, widened(out, b), ln2}));
}

void xlogy(const OpView& op, Emitter& out) {
  const auto [a, b] = operands(op, out);
  const Ref product = mul(out, a, out.elementwise("log", {b}));
  const Ref is_zero =
      logical_and(out, compare(out, "eq", a, like(out, 0, a)), compare(out, "eq", b, b));
  finish(op, out, select(out, is_zero, like(out, 0, a), product));
}

double rounded_if_half(double value, DType dtype) {
  if (dtype != DType::f16) return value;
  return static_cast<double>(ir::half_to_float(ir::float_to_half(static_cast<float>(value))));
}

/// The bounds are of the dtype of `self`.
void logit(const OpView& op, Emitter& out) {
  Ref x = widened(out, op.tensor("self"));
  if (const auto eps = op.opt_f64("eps")) {
    const DType own = out.dtype(op.tensor("self"));
    const double least = rounded_if_half(*eps, own), most = rounded_if_half(1 - least, own);
    const Ref low = like(out, least, x);  // wins if it is above `most`
    x = select(out, compare(out, "lt", x, low), low, minimum(out, x, like(out, most, x)));
  }
  const Ref odds = div(out, x, sub(out, like(out, 1, x), x));
  finish(op, out, out.elementwise("log", {odds}));
}

void sinc(const OpView& op, Emitter& out) {
  const Ref x = widened(out, op.tensor("self"));
  const Ref angle = mul(out, x, like(out, std::numbers::pi, x));
  const Ref ratio = div(out, out.elementwise("sin", {angle}), angle);
  finish(op, out, select(out, compare(out, "eq", x, like(out, 0, x)), like(out, 1, x), ratio));
}

void heaviside(const OpView& op, Emitter& out) {
  const Ref x = op.tensor("self");
  const Ref is_positive = out.cast(compare(out, "gt", x, like(out, 0, x)), out.dtype(x));
  const Ref is_zero = compare(out, "eq", x, like(out, 0, x));
  finish(op, out, select(out, is_zero, op.tensor("values"), is_positive));
}

void register_two_operands(Registry& r) {
  r.elementwise({"aten::pow.Tensor_Tensor", "aten::pow.Tensor_Scalar", "aten::pow.Scalar"},
                {"pow", "self ** exponent", pow, Promotion::operands});
  r.elementwise({"aten::float_power.Tensor_Tensor", "aten::float_power.Tensor_Scalar",
                 "aten::float_power.Scalar"},
                {"pow", "self ** exponent in f64", float_power_f64, {}});
  r.elementwise({"aten::atan2", "aten::arctan2"},
                {"t2n_atan2", "angle of the point (other, self)", atan2, Promotion::to_float});
  r.elementwise({"aten::logaddexp"},
                {"t2n_logaddexp", "log(exp(self) + exp(other))", logaddexp, Promotion::to_float});
  r.elementwise({"aten::hypot"}, {"sqrt", "sqrt(self^2 + other^2)", hypot, Promotion::operands});
  r.elementwise({"aten::copysign.Tensor", "aten::copysign.Scalar"},
                {"select", "|self| with other's sign", copysign, Promotion::to_float});
  r.elementwise({"aten::xlogy.Tensor", "aten::xlogy.Scalar_Self", "aten::xlogy.Scalar_Other",
                 "aten::special_xlogy", "aten::special_xlogy.self_scalar",
                 "aten::special_xlogy.other_scalar"},
                {"mul", "self * log(other), 0 where self is 0", xlogy, Promotion::to_float});
  r.elementwise({"aten::heaviside"},
                {"select", "0, values or 1 by the sign of self", heaviside, Promotion::operands});
}

Bounds power_bounds(const OperandBounds& x) {
  const double base = std::max(1.0, magnitude(x.at("self")));
  return up_to(std::pow(base, std::max(0.0, x.at("exponent").high)));
}

}  // namespace

void register_math(Registry& r) {
  constexpr auto kFloat = Promotion::to_float;
  r.unary(kMathFragments, fragment_of_self);
  r.unary(kErrorFunctions, erf_or_erfc);
  for (const ScaleRow& row : kScaled)
    r.elementwise({row.op}, {"mul", row.doc, scaled_function, kFloat});
  r.elementwise({"aten::exp2", "aten::special_exp2"}, {"pow", "2 ** self", exp2, kFloat});
  r.elementwise({"aten::sigmoid", "aten::special_expit"},
                {"sigmoid", "1 / (1 + exp(-self))", sigmoid, kFloat});
  r.elementwise({"aten::logit", "aten::special_logit"},
                {"log", "log(self / (1 - self))", logit, kFloat});
  r.elementwise({"aten::sinc", "aten::special_sinc"},
                {"sin", "sin(pi self) / (pi self)", sinc, kFloat});
  r.elementwise({"aten::signbit"}, {"lt", "self < 0, true for -0", signbit});
  register_two_operands(r);
  r.bounds({power_bounds, true}, "pow");
  r.bounds({bounds::kept}, "heaviside");
}

}  // namespace t2n::ops
