// Elementwise arithmetic: one operation of the engine each, or two.
#include "ops/elementwise.h"

#include <cstdlib>

#include "ops/all.h"
#include "ops/arith.h"
#include "ops/registry.h"
#include "src/diag/error.h"

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

/// `nnef` for floats; on integers these do nothing.
constexpr UnaryRow kRounding[] = {
    {"aten::floor", "floor", "largest integer <= self"},
    {"aten::ceil", "ceil", "smallest integer >= self"},
    {"aten::trunc", "t2n_trunc", "self without its fraction"},
    {"aten::fix", "t2n_trunc", "self without its fraction"},
};

constexpr BinaryRow kExtrema[] = {
    {"aten::maximum", "max"}, {"aten::max.other", "max"}, {"aten::fmax", "max"},
    {"aten::minimum", "min"}, {"aten::min.other", "min"}, {"aten::fmin", "min"},
};

/// `b * alpha`, b itself where alpha is 1.
Ref scaled(const OpView& op, Emitter& out, Ref b) {
  const Ref alpha = op.number("alpha", out.dtype(b));
  return is_number(out, alpha, 1) ? b : mul(out, b, alpha);
}

void add_scaled(const OpView& op, Emitter& out) {
  const auto [a, b] = operands(op, out);
  finish(op, out, add(out, a, scaled(op, out, b)));
}

void add_relu(const OpView& op, Emitter& out) {
  const auto [a, b] = operands(op, out);
  const Ref sum = add(out, a, scaled(op, out, b));
  finish(op, out, maximum(out, sum, like(out, 0, sum)));
}

void sub_scaled(const OpView& op, Emitter& out) {
  const auto [a, b] = operands(op, out);
  finish(op, out, sub(out, a, scaled(op, out, b)));
}

void rsub(const OpView& op, Emitter& out) {
  const auto [a, b] = operands(op, out);
  finish(op, out, sub(out, b, scaled(op, out, a)));
}

void multiply(const OpView& op, Emitter& out) {
  const auto [a, b] = operands(op, out);
  finish(op, out, mul(out, a, b));
}

/// NaN loses against a number, as in torch's fmax; torch's maximum would propagate it.
void extremum(const OpView& op, Emitter& out) {
  const auto [a, b] = operands(op, out);
  finish(op, out, op.nnef() == "max" ? maximum(out, a, b) : minimum(out, a, b));
}

void negate(const OpView& op, Emitter& out) { finish(op, out, neg(out, op.tensor("self"))); }

void absolute(const OpView& op, Emitter& out) {
  finish(op, out, magnitude(out, op.tensor("self")));
}

/// tract before 0.23.5 has no sign of integers: clamped to -1..1 in every version.
void sign(const OpView& op, Emitter& out) {
  const Ref x = op.tensor("self");
  if (out.dtype(x) == DType::boolean) return finish(op, out, x);
  if (ir::is_float(out.dtype(x))) return out.result("sign", {x});
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

void round(const OpView& op, Emitter& out) {
  const Ref x = op.tensor("self");
  finish(op, out, ir::is_float(out.dtype(x)) ? round_even(out, x) : x);
}

/// Torch multiplies by 10**decimals, or divides by 10**-decimals: the same numbers come out.
void round_decimals(const OpView& op, Emitter& out) {
  const Ref x = op.tensor("self");
  const int64_t decimals = op.i64("decimals");
  if (!ir::is_float(out.dtype(x)) || decimals == 0) return round(op, out);
  double power = 1;
  for (int64_t i = 0; i < std::abs(decimals); ++i) power *= 10;
  const Ref scale = like(out, power, x);
  const Ref y = decimals > 0 ? div(out, round_even(out, mul(out, x, scale)), scale)
                             : mul(out, round_even(out, div(out, x, scale)), scale);
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

/// The upper bound wins where the bounds cross, as in torch.
void clamp(const OpView& op, Emitter& out) {
  const DType dtype = op.dtype(0);  // of a boolean and a number: i64
  Ref y = out.cast(op.tensor("self"), dtype);
  if (const auto low = bound(op, out, "min", dtype)) y = maximum(out, y, *low);
  if (const auto high = bound(op, out, "max", dtype)) y = minimum(out, y, *high);
  finish(op, out, y);
}

void lerp(const OpView& op, Emitter& out) {
  const Ref from = widened(out, op.tensor("self"));
  const Ref to = widened(out, op.tensor("end"));
  const Ref weight = operand(op, out, "weight", out.dtype(from));
  finish(op, out, add(out, from, mul(out, weight, sub(out, to, from))));
}

/// self + value * (tensor1 op tensor2)
void add_combined(const OpView& op, Emitter& out) {
  const Ref self = widened(out, op.tensor("self"));
  const Ref a = widened(out, op.tensor("tensor1"));
  const Ref b = widened(out, op.tensor("tensor2"));
  const Ref both = op.nnef() == "div" ? div(out, a, b) : mul(out, a, b);
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
  r.add({.op = "aten::add.Tensor",
         .also = {"aten::add.Scalar"},
         .doc = "self + alpha * other; booleans: or",
         .variants = {{any_target(), "add", add_scaled}},
         .promotion = kOperands});
  r.add({.op = "aten::_add_relu.Tensor",
         .also = {"aten::_add_relu.Scalar"},
         .doc = "max(self + alpha * other, 0)",
         .variants = {{any_target(), "max", add_relu}},
         .promotion = kOperands});
  r.add({.op = "aten::sub.Tensor",
         .also = {"aten::sub.Scalar", "aten::subtract.Tensor", "aten::subtract.Scalar"},
         .doc = "self - alpha * other",
         .variants = {{any_target(), "sub", sub_scaled}},
         .promotion = kOperands});
  r.add({.op = "aten::rsub.Scalar",
         .doc = "other - alpha * self",
         .variants = {{any_target(), "sub", rsub}},
         .promotion = kOperands});
  r.add({.op = "aten::mul.Tensor",
         .also = {"aten::mul.Scalar", "aten::multiply.Tensor", "aten::multiply.Scalar"},
         .doc = "self * other; booleans: and",
         .variants = {{any_target(), "mul", multiply}},
         .promotion = kOperands});
  for (const BinaryRow& row : kExtrema)
    r.add({.op = row.op,
           .doc = row.nnef == "max" ? "the larger operand; a NaN loses"
                                    : "the smaller operand; a NaN loses",
           .variants = {{any_target(), row.nnef, extremum}},
           .promotion = kOperands});
  r.add({.op = "aten::addcmul",
         .doc = "self + value * tensor1 * tensor2",
         .variants = {{any_target(), "mul", add_combined}},
         .promotion = kOperands});
  r.add({.op = "aten::addcdiv",
         .doc = "self + value * tensor1 / tensor2",
         .variants = {{any_target(), "div", add_combined}},
         .promotion = kOperands});
  r.add({.op = "aten::lerp.Scalar",
         .also = {"aten::lerp.Tensor"},
         .doc = "self + weight * (end - self)",
         .variants = {{any_target(), "mul", lerp}},
         .promotion = kOperands});
}

void register_unary(Registry& r) {
  r.unary(kUnary);
  for (const UnaryRow& row : kRounding)
    r.add({.op = row.op, .doc = row.doc, .variants = {{any_target(), row.nnef, rounding}}});
  r.add({.op = "aten::frac",
         .doc = "self - trunc(self)",
         .variants = {{any_target(), "t2n_frac", frac}}});
  r.add({.op = "aten::round",
         .doc = "nearest integer, halves to the even one",
         .variants = {{any_target(), "tract_core_round_even", round}}});
  r.add({.op = "aten::round.decimals",
         .doc = "round(self * 10**decimals) / 10**decimals",
         .variants = {{any_target(), "tract_core_round_even", round_decimals}}});
  r.add({.op = "aten::neg",
         .also = {"aten::negative"},
         .doc = "-self",
         .variants = {{any_target(), "neg", negate}}});
  r.add({.op = "aten::abs",
         .also = {"aten::absolute"},
         .doc = "|self|",
         .variants = {{any_target(), "abs", absolute}}});
  r.add({.op = "aten::sign",
         .also = {"aten::sgn"},
         .doc = "-1, 0 or 1",
         .variants = {{any_target(), "sign", sign}}});
  r.add({.op = "aten::square", .doc = "self * self", .variants = {{any_target(), "mul", square}}});
}

void register_copies(Registry& r) {
  r.add({.op = "aten::copy",
         .doc = "src, broadcast and cast to self's type",
         .variants = {{any_target(), "", copy}}});
  r.add({.op = "aten::fill.Scalar",
         .doc = "value in the shape of self",
         .variants = {{any_target(), "", fill_scalar}}});
  r.add({.op = "aten::fill.Tensor",
         .doc = "value in the shape of self",
         .variants = {{any_target(), "", fill_tensor}}});
  r.add({.op = "aten::zero",
         .doc = "zeros in the shape of self",
         .variants = {{any_target(), "", zero}}});
}

}  // namespace

void register_elementwise(Registry& r) {
  register_arithmetic(r);
  register_unary(r);
  register_copies(r);
  r.add({.op = "aten::clamp",
         .also = {"aten::clamp.Tensor", "aten::clamp_min", "aten::clamp_min.Tensor",
                  "aten::clamp_max", "aten::clamp_max.Tensor", "aten::clip", "aten::clip.Tensor"},
         .doc = "min(max(self, min), max); a NaN loses",
         .variants = {{any_target(), "max", clamp}},
         .promotion = Promotion::operands});
  register_division(r);
  register_logic(r);
  register_math(r);
}

}  // namespace t2n::ops
