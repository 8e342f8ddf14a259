// SPDX-License-Identifier: Apache-2.0
// Elementwise arithmetic: one or two operations of the engine each.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "ops/pointwise/families.h"
#include "src/diag/error.h"
#include "src/translate/arith.h"
#include "src/translate/nan.h"
#include "src/translate/quotient.h"
#include "src/translate/readers.h"
#include "src/translate/registry.h"

namespace t2n::ops {
namespace {

using ir::Promotion;

constexpr UnaryRow kUnary[] = {
    {"aten::exp", "exp"},       {"aten::log", "log"},          {"aten::sqrt", "sqrt"},
    {"aten::rsqrt", "rsqrt"},   {"aten::reciprocal", "recip"}, {"aten::sin", "sin"},
    {"aten::cos", "cos"},       {"aten::tan", "tan"},          {"aten::asin", "asin"},
    {"aten::acos", "acos"},     {"aten::atan", "atan"},        {"aten::sinh", "sinh"},
    {"aten::cosh", "cosh"},     {"aten::tanh", "tanh"},        {"aten::asinh", "asinh"},
    {"aten::acosh", "acosh"},   {"aten::atanh", "atanh"},      {"aten::arcsin", "asin"},
    {"aten::arccos", "acos"},   {"aten::arctan", "atan"},      {"aten::arcsinh", "asinh"},
    {"aten::arccosh", "acosh"}, {"aten::arctanh", "atanh"},
};

/// `nnef` for floats, the identity for integers.
constexpr UnaryRow kRounding[] = {
    {"aten::floor", "floor", "largest integer <= self", {}},
    {"aten::ceil", "ceil", "smallest integer >= self", {}},
    {"aten::trunc", "t2n_trunc", "self without its fraction", {}},
    {"aten::fix", "t2n_trunc", "self without its fraction", {}},
};

/// `b * alpha`, b itself where alpha is 1.
Ref times_alpha(const OpView& op, Emitter& out, Ref b) {
  const Ref alpha = op.number("alpha", out.dtype(b));
  return is_number(out, alpha, 1) ? b : mul(out, b, alpha);
}

void add_scaled(const OpView& op, Emitter& out) {
  const auto [a, b] = operands(op, out);
  finish(op, out, add(out, a, times_alpha(op, out, b)));
}

void add_relu(const OpView& op, Emitter& out) {
  const auto [a, b] = operands(op, out);
  const Ref sum = add(out, a, times_alpha(op, out, b));
  finish(op, out, maximum(out, sum, like(out, 0, sum)));
}

void sub_scaled(const OpView& op, Emitter& out) {
  const auto [a, b] = operands(op, out);
  finish(op, out, sub(out, a, times_alpha(op, out, b)));
}

void rsub(const OpView& op, Emitter& out) {
  const auto [a, b] = operands(op, out);
  finish(op, out, sub(out, b, times_alpha(op, out, a)));
}

void multiply(const OpView& op, Emitter& out) {
  const auto [a, b] = operands(op, out);
  finish(op, out, mul(out, a, b));
}

/// `y`, but NaN where `bound` is NaN, which tract's max and min ignore.
Ref with_nan_of(Emitter& out, Ref bound, Ref y) {
  if (!ir::is_float(out.dtype(bound))) return y;
  if (const auto known = out.constant_value(bound)) {
    const std::vector<double> values = ir::to_f64(*known);
    const auto is_number = [](double each) { return !std::isnan(each); };
    if (std::all_of(values.begin(), values.end(), is_number)) return y;
    if (values.size() == 1) return out.full(like(out, values[0], y), out.shape(y));
  }
  return select(out, is_nan(out, bound), bound, y);
}

/// Ignores NaN, as torch's fmax does. torch's maximum propagates NaN; this does so for constant
/// operands only.
void extremum(const OpView& op, Emitter& out) {
  const auto [a, b] = operands(op, out);
  Ref y = op.nnef() == "max" ? maximum(out, a, b) : minimum(out, a, b);
  const bool keeps_nan = !op.op().starts_with("aten::f");
  if (keeps_nan && out.constant_value(a)) y = with_nan_of(out, a, y);
  if (keeps_nan && out.constant_value(b)) y = with_nan_of(out, b, y);
  finish(op, out, y);
}

void negate(const OpView& op, Emitter& out) { finish(op, out, neg(out, op.tensor("self"))); }

void absolute(const OpView& op, Emitter& out) {
  finish(op, out, magnitude(out, op.tensor("self")));
}

/// tract before 0.23.5 has no sign of integers; clamping to -1..1 works in every version.
void sign(const OpView& op, Emitter& out) {
  const Ref x = op.tensor("self");
  if (out.dtype(x) == DType::boolean) return finish(op, out, x);
  if (ir::is_float(out.dtype(x))) {
    // torch's sign of NaN is 0.
    const Ref y = out.elementwise("sign", {x});
    return out.result(may_meet_nan(out) ? select(out, is_nan(out, x), like(out, 0, x), y) : y);
  }
  const Ref capped = minimum(out, x, like(out, 1, x));
  const bool has_negatives = ir::dtype_name(out.dtype(x)).front() == 'i';
  finish(op, out, has_negatives ? maximum(out, capped, like(out, -1, x)) : capped);
}

void rounding(const OpView& op, Emitter& out) {
  const Ref x = op.tensor("self");
  if (!ir::is_float(out.dtype(x))) return finish(op, out, x);
  out.result(op.nnef(), {x});
}

void frac(const OpView& op, Emitter& out) { out.result("t2n_frac", {op.tensor("self")}); }

Ref round_even(Emitter& out, Ref x) {
  // tract_core_round_even lacks f64.
  return out.elementwise(out.dtype(x) == DType::f64 ? "t2n_round_even" : "tract_core_round_even",
                         {x});
}

/// Adds a number whose neighbours are integers, and subtracts it: tract fuses the two sums with
/// those around them. Numbers beyond half of it, which are rounded more, stay there.
Ref rounded_by_sums(Emitter& out, Ref x) {
  const Ref shift = like(out, out.dtype(x) == DType::f64 ? 0x1.8p52 : 0x1.8p23, x);
  return sub(out, add(out, x, shift), shift);
}

void round(const OpView& op, Emitter& out) {
  const Ref x = op.tensor("self");
  const DType dtype = out.dtype(x);
  const bool has_order = out.has(target::Feature::computes_f64) && dtype != DType::f16;
  if (!ir::is_float(dtype))
    finish(op, out, x);
  else if (has_order && is_clamped_later(out.state()))
    finish(op, out, rounded_by_sums(out, x));
  else
    finish(op, out, round_even(out, x));
}

/// Torch multiplies by 10**decimals, or divides by 10**-decimals, with the same result.
void round_decimals(const OpView& op, Emitter& out) {
  const Ref x = widened(out, op.tensor("self"));
  const int64_t decimals = op.i64("decimals");
  if (!ir::is_float(out.dtype(x)) || decimals == 0) return round(op, out);
  double power = 1;
  for (int64_t i = 0; i < std::abs(decimals); ++i) power *= 10;
  const Ref scale = like(out, power, x);
  const Ref y = decimals > 0 ? quotient(op, out, round_even(out, mul(out, x, scale)), scale)
                             : mul(out, round_even(out, exact_quotient(out, x, scale)), scale);
  finish(op, out, y);
}

void square(const OpView& op, Emitter& out) {
  const Ref x = op.tensor("self");
  finish(op, out, mul(out, x, x));
}

/// A bound: absent, a number, or a tensor.
std::optional<Ref> bound(const OpView& op, Emitter& out, std::string_view name, DType dtype) {
  if (!op.has_argument(name) || op.is_none(name)) return {};
  return operand(op, out, name, dtype);
}

/// If the bounds cross, the upper one wins, as in torch; a bound that is NaN always wins.
void clamp(const OpView& op, Emitter& out) {
  const DType dtype = op.dtype(0);  // i64 for a boolean and a number
  Ref y = out.cast(op.tensor("self"), dtype);
  const auto low = bound(op, out, "min", dtype), high = bound(op, out, "max", dtype);
  if (low) y = maximum(out, y, *low);
  if (high) y = minimum(out, y, *high);
  if (low) y = with_nan_of(out, *low, y);
  if (high) y = with_nan_of(out, *high, y);
  finish(op, out, y);
}

void lerp(const OpView& op, Emitter& out) {
  const Ref from = widened(out, op.tensor("self"));
  const Ref to = widened(out, op.tensor("end"));
  const Ref weight = operand(op, out, "weight", out.dtype(from));
  const Ref change = sub(out, to, from);
  const auto near_from = [&] { return add(out, from, mul(out, weight, change)); };
  const auto near_to = [&] {
    return sub(out, to, mul(out, change, sub(out, like(out, 1, weight), weight)));
  };
  // From the nearer end, as torch, so that a weight of 1 gives `to` itself.
  if (const auto number = op.is_tensor("weight") ? std::nullopt : std::optional(op.f64("weight")))
    return finish(op, out, std::abs(*number) < 0.5 ? near_from() : near_to());
  const Ref is_low = is_below(out, magnitude(out, weight), 0.5);
  finish(op, out, select(out, is_low, near_from(), near_to()));
}

/// self + value * (tensor1 op tensor2)
void add_combined(const OpView& op, Emitter& out) {
  const Ref self = widened(out, op.tensor("self"));
  const Ref a = widened(out, op.tensor("tensor1"));
  const Ref b = widened(out, op.tensor("tensor2"));
  const Ref both = op.nnef() == "div" ? quotient(op, out, a, b) : mul(out, a, b);
  const Ref value = op.number("value", out.dtype(self));
  finish(op, out, add(out, self, is_number(out, value, 1) ? both : mul(out, both, value)));
}

void copy(const OpView& op, Emitter& out) {
  op.ignore("self", "only its dtype and shape matter, and the result has them");
  op.ignore("non_blocking", "copies are complete when the model ends");
  finish(op, out, op.tensor("src"));
}

void fill_scalar(const OpView& op, Emitter& out) {
  op.ignore("self", "only its dtype and shape matter, and the result has them");
  out.result(out.full(converted_number(op, out, "value", op.dtype()), op.shape()));
}

void fill_tensor(const OpView& op, Emitter& out) {
  op.ignore("self", "only its dtype and shape matter, and the result has them");
  finish(op, out, op.tensor("value"));
}

void zero(const OpView& op, Emitter& out) {
  op.ignore("self", "only its dtype and shape matter, and the result has them");
  out.result(out.full(out.cast(out.scalar(int64_t{0}, DType::i64), op.dtype()), op.shape()));
}

void register_arithmetic(Registry& r) {
  constexpr auto kOperands = Promotion::operands;
  r.elementwise({"aten::add.Tensor", "aten::add.Scalar"},
                {"add", "self + alpha * other; booleans: or", add_scaled, kOperands});
  r.elementwise({"aten::_add_relu.Tensor", "aten::_add_relu.Scalar"},
                {"max", "max(self + alpha * other, 0)", add_relu, kOperands});
  r.elementwise(
      {"aten::sub.Tensor", "aten::sub.Scalar", "aten::subtract.Tensor", "aten::subtract.Scalar"},
      {"sub", "self - alpha * other", sub_scaled, kOperands});
  r.elementwise({"aten::rsub.Scalar", "aten::rsub.Tensor"},
                {"sub", "other - alpha * self", rsub, kOperands});
  r.elementwise(
      {"aten::mul.Tensor", "aten::mul.Scalar", "aten::multiply.Tensor", "aten::multiply.Scalar"},
      {"mul", "self * other; booleans: and", multiply, kOperands});
  r.elementwise({"aten::maximum", "aten::max.other", "aten::fmax"},
                {"max", "the larger operand; NaN is ignored", extremum, kOperands});
  r.elementwise({"aten::minimum", "aten::min.other", "aten::fmin"},
                {"min", "the smaller operand; NaN is ignored", extremum, kOperands});
  r.elementwise({"aten::addcmul"},
                {"mul", "self + value * tensor1 * tensor2", add_combined, kOperands});
  r.elementwise({"aten::addcdiv"},
                {"div", "self + value * tensor1 / tensor2", add_combined, kOperands});
  r.elementwise({"aten::lerp.Scalar", "aten::lerp.Tensor"},
                {"mul", "self + weight * (end - self)", lerp, kOperands});
}

void register_unary(Registry& r) {
  r.unary(kUnary);
  r.unary(kRounding, rounding);
  r.elementwise({"aten::frac"}, {"t2n_frac", "self - trunc(self)", frac});
  r.elementwise({"aten::round"},
                {"tract_core_round_even", "nearest integer, halves to the even one", round});
  r.elementwise(
      {"aten::round.decimals"},
      {"tract_core_round_even", "round(self * 10**decimals) / 10**decimals", round_decimals});
  r.elementwise({"aten::neg", "aten::negative"}, {"neg", "-self", negate});
  r.elementwise({"aten::abs", "aten::absolute"}, {"abs", "|self|", absolute});
  r.elementwise({"aten::sign", "aten::sgn"}, {"sign", "-1, 0 or 1", sign});
  r.elementwise({"aten::square"}, {"mul", "self * self", square});
}

void register_copies(Registry& r) {
  r.same({"aten::copy"}, {"", "src, broadcast and cast to self's type", copy});
  r.elementwise({"aten::fill.Scalar"}, {"", "value in the shape of self", fill_scalar});
  r.elementwise({"aten::fill.Tensor"}, {"", "value in the shape of self", fill_tensor});
  r.elementwise({"aten::zero"}, {"", "zeros in the shape of self", zero});
}

Shapes copy_shapes(const ShapeView& op) {
  op.require_fit("src", op.shape("self"));
  return shapes::same(op);
}

Bounds sum_bounds(const OperandBounds& x) {
  return x.at("self") + x.at("alpha", {1, 1}) * x.at("other");
}

Bounds difference_bounds(const OperandBounds& x) {
  return x.at("self") + Bounds{-1, -1} * (x.at("alpha", {1, 1}) * x.at("other"));
}

Bounds reversed_difference_bounds(const OperandBounds& x) {
  return x.at("other") + Bounds{-1, -1} * (x.at("alpha", {1, 1}) * x.at("self"));
}

Bounds negated_bounds(const OperandBounds& x) { return Bounds{-1, -1} * x.at("self"); }

Bounds absolute_bounds(const OperandBounds& x) { return {0, magnitude(x.at("self"))}; }

Bounds square_bounds(const OperandBounds& x) { return {0, std::pow(magnitude(x.at("self")), 2)}; }

Bounds added_product_bounds(const OperandBounds& x) {
  return x.at("self") + x.at("value", {1, 1}) * (x.at("tensor1") * x.at("tensor2"));
}

Bounds clamped_bounds(const OperandBounds& x) {
  constexpr double kNone = std::numeric_limits<double>::max();
  const Bounds self = x.at("self");
  const Bounds least = x.at("min", {-kNone, -kNone}), most = x.at("max", {kNone, kNone});
  return {std::min(std::max(self.low, least.low), most.low),
          std::min(std::max(self.high, least.high), most.high)};
}

}  // namespace

void register_elementwise(Registry& r) {
  register_arithmetic(r);
  register_unary(r);
  register_copies(r);
  r.elementwise(
      {"aten::clamp", "aten::clamp.Tensor", "aten::clamp_min", "aten::clamp_min.Tensor",
       "aten::clamp_max", "aten::clamp_max.Tensor", "aten::clip", "aten::clip.Tensor"},
      {"max", "min(max(self, min), max); a NaN in self is ignored", clamp, Promotion::operands});
  r.shapes(shapes::same,
           "_neg_view alpha_dropout bernoulli dropout feature_alpha_dropout "
           "feature_dropout isreal pin_memory positive special_airy_ai special_round");
  r.shapes(copy_shapes, "copy");
  r.bounds({sum_bounds, true}, "add __add__");
  r.bounds({difference_bounds, true}, "sub subtract");
  r.bounds({reversed_difference_bounds, true}, "rsub");
  r.bounds({bounds::product, true}, "mul multiply");
  r.bounds({negated_bounds, true}, "neg negative");
  r.bounds({absolute_bounds}, "abs absolute");
  r.bounds({square_bounds, true}, "square");
  r.bounds({added_product_bounds, true}, "addcmul");
  r.bounds({clamped_bounds}, "clamp clip clamp_min clamp_max");
  r.bounds({bounds::flag}, "sign sgn");
  r.bounds({bounds::nothing}, "zero");
  r.bounds({bounds::kept},
           "copy fill maximum minimum fmax fmin round ceil floor trunc fix positive");
  r.zero_signs(ZeroSign::propagated,
               "mul add sub rsub neg abs round clamp clamp_min clamp_max maximum minimum where");
  r.rearranges({}, "alpha_dropout dropout feature_dropout positive");
}

}  // namespace t2n::ops
