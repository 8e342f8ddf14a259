// SPDX-License-Identifier: Apache-2.0
// Complex arithmetic, element by element: sums, products, comparisons, conversions, choices.

#include "src/complex/rules.h"
#include "src/diag/error.h"

namespace t2n::complex {

Complex add(PairBuilder& b, const Complex& x, const Complex& y) {
  const ValueId im = x.is_real() ? y.im : y.is_real() ? x.im : add(b, x.im, y.im);
  return {add(b, x.re, y.re), im};
}

Complex negative(PairBuilder& b, const Complex& x) {
  return {b.unary("aten::neg", x.re), x.is_real() ? x.im : b.unary("aten::neg", x.im)};
}

Complex sub(PairBuilder& b, const Complex& x, const Complex& y) {
  if (y.is_real()) return {sub(b, x.re, y.re), x.im};
  return {sub(b, x.re, y.re), x.is_real() ? b.unary("aten::neg", y.im) : sub(b, x.im, y.im)};
}

Complex mul(PairBuilder& b, const Complex& x, const Complex& y) {
  if (x.is_real() && !y.is_real()) return mul(b, y, x);
  if (x.is_real()) return {mul(b, x.re, y.re)};
  if (y.is_real()) return {mul(b, x.re, y.re), mul(b, x.im, y.re)};
  const ValueId rr = mul(b, x.re, y.re), ii = mul(b, x.im, y.im);
  const ValueId ri = mul(b, x.re, y.im), ir = mul(b, x.im, y.re);
  const ValueId re = sub(b, rr, ii);
  return {re, add(b, ri, ir)};
}

/// The larger part of the divisor scales both sides, so that no square overflows, as in torch.
Complex div(PairBuilder& b, const Complex& x, const Complex& y) {
  if (y.is_real()) return {div(b, x.re, y.re), x.is_real() ? ir::kNoValue : div(b, x.im, y.re)};
  const ValueId scale =
      b.binary("aten::maximum", b.unary("aten::abs", y.re), b.unary("aten::abs", y.im));
  const Complex unit{div(b, y.re, scale), b.unary("aten::neg", div(b, y.im, scale))};
  const ValueId squares = add(b, mul(b, unit.re, unit.re), mul(b, unit.im, unit.im));
  const Complex top = mul(b, x, unit);
  const ValueId bottom = mul(b, squares, scale);
  return {div(b, top.re, bottom), div(b, top.im, bottom)};
}

ValueId magnitude(PairBuilder& b, const Complex& x) {
  return x.is_real() ? b.unary("aten::abs", x.re) : b.binary("aten::hypot", x.re, x.im);
}

namespace {

/// alpha * other
Complex scaled_other(PairBuilder& b, std::string_view name) {
  const Complex other = b.operand(name);
  if (!b.has("alpha") || b.number_of("alpha") == 1.0) return other;
  return mul(b, b.operand("alpha"), other);
}

bool is_plain_sum(const PairBuilder& b) {
  return b.is_complex_tensor("self") && b.is_complex_tensor("other") &&
         (!b.has("alpha") || b.number_of("alpha") == 1.0);
}

ValueId of_pairs(PairBuilder& b, std::string_view op) {
  const ValueId self = b.operand_pairs("self");
  return b.binary(op, self, b.operand_pairs("other"));
}

/// Pairs are added directly, other forms part by part.
void add_rule(PairBuilder& b) {
  if (is_plain_sum(b)) return b.define(add(b, b.operand_pairs("self"), b.operand_pairs("other")));
  b.define(add(b, b.operand("self"), scaled_other(b, "other")));
}

void sub_rule(PairBuilder& b) {
  if (is_plain_sum(b)) return b.define(of_pairs(b, "aten::sub.Tensor"));
  const Complex self = b.operand("self");
  b.define(sub(b, self, scaled_other(b, "other")));
}

void rsub_rule(PairBuilder& b) {
  const Complex other = b.operand("other");
  b.define(sub(b, other, scaled_other(b, "self")));
}

/// A real operand that broadcasts with pairs: gets a last axis of extent 1.
ValueId broadcast_with_pairs(PairBuilder& b, std::string_view name) {
  const ValueId re = b.operand(name).re;
  return b.rank(re) == 0 ? re : b.unsqueeze(re, b.rank(re));
}

void mul_rule(PairBuilder& b) {
  if (!b.is_complex("other") || !b.is_complex("self")) {
    const bool is_first = b.is_complex("self");
    const ValueId pairs = b.operand_pairs(is_first ? "self" : "other");
    return b.define(mul(b, pairs, broadcast_with_pairs(b, is_first ? "other" : "self")));
  }
  const Complex self = b.operand("self");
  b.define(mul(b, self, b.operand("other")));
}

void div_rule(PairBuilder& b) {
  if (b.has("rounding_mode") && !b.is_none("rounding_mode"))
    return b.refuse("complex numbers have no rounded quotient");
  if (!b.is_complex("other")) {
    const ValueId pairs = b.operand_pairs("self");
    return b.define(div(b, pairs, broadcast_with_pairs(b, "other")));
  }
  const Complex self = b.operand("self");
  b.define(div(b, self, b.operand("other")));
}

void neg_rule(PairBuilder& b) { b.define(b.unary("aten::neg", b.tensor("self"))); }

void square_rule(PairBuilder& b) {
  const Complex x = b.operand("self");
  b.define(mul(b, x, x));
}

void reciprocal_rule(PairBuilder& b) {
  b.define(div(b, {b.number(1, b.component())}, b.operand("self")));
}

/// self + value * tensor1 (* or /) tensor2
void addc_rule(PairBuilder& b) {
  const Complex x = b.operand("tensor1"), y = b.operand("tensor2");
  Complex term = b.base_name() == "addcmul" ? mul(b, x, y) : div(b, x, y);
  if (b.number_of("value") != 1.0) term = mul(b, b.operand("value"), term);
  b.define(add(b, b.operand("self"), term));
}

void lerp_rule(PairBuilder& b) {
  const Complex self = b.operand("self");
  const Complex step = sub(b, b.operand("end"), self);
  b.define(add(b, self, mul(b, b.operand("weight"), step)));
}

void conj_rule(PairBuilder& b) {
  if (!b.is_complex_tensor("self")) return b.define(b.tensor("self"));
  const Complex x = b.operand("self");
  b.define(Complex{x.re, b.unary("aten::neg", x.im)});
}

void same_rule(PairBuilder& b) { b.define(b.tensor("self")); }

void real_rule(PairBuilder& b) { b.define(b.operand("self").re); }
void imag_rule(PairBuilder& b) { b.define(b.operand("self").im); }
void abs_rule(PairBuilder& b) { b.define(magnitude(b, b.operand("self"))); }

void angle_rule(PairBuilder& b) {
  const Complex x = b.operand("self");
  b.define(b.binary("aten::atan2", x.im, x.re));
}

void complex_rule(PairBuilder& b) { b.define(Complex{b.tensor("real"), b.tensor("imag")}); }

void polar_rule(PairBuilder& b) {
  const ValueId size = b.tensor("abs"), angle = b.tensor("angle");
  b.define(Complex{mul(b, size, b.unary("aten::cos", angle)),
                   mul(b, size, b.unary("aten::sin", angle))});
}

/// z / |z|, zero at zero.
void sign_rule(PairBuilder& b) {
  const Complex x = b.operand("self");
  const ValueId size = magnitude(b, x), zero = b.number(0, b.component());
  const ValueId is_zero = b.binary("aten::eq.Tensor", size, zero);
  const ValueId safe = b.where(is_zero, b.number(1, b.component()), size);
  b.define(Complex{div(b, x.re, safe), div(b, x.im, safe)});
}

ValueId imaginary(PairBuilder& b, const Complex& x) {
  return x.is_real() ? b.number(0, b.component()) : x.im;
}

ValueId either(PairBuilder& b, ValueId x, ValueId y) { return b.binary("aten::logical_or", x, y); }

ValueId differs(PairBuilder& b, const Complex& x, const Complex& y) {
  return either(b, b.binary("aten::ne.Tensor", x.re, y.re),
                b.binary("aten::ne.Tensor", imaginary(b, x), imaginary(b, y)));
}

void eq_rule(PairBuilder& b) {
  const Complex x = b.operand("self"), y = b.operand("other");
  b.define(b.binary("aten::logical_and", b.binary("aten::eq.Tensor", x.re, y.re),
                    b.binary("aten::eq.Tensor", imaginary(b, x), imaginary(b, y))));
}

void ne_rule(PairBuilder& b) { b.define(differs(b, b.operand("self"), b.operand("other"))); }

ValueId is_nonzero(PairBuilder& b, const Complex& x) {
  return differs(b, x, {b.number(0, b.component())});
}

ValueId boolean(PairBuilder& b, std::string_view op, ValueId x) {
  return b.emit(op, {{"self", TensorRef{x}}}, DType::boolean, b.shape(x));
}

/// isnan and isinf hold if they hold for one part, isfinite if for both.
void class_rule(PairBuilder& b) {
  const Complex x = b.operand("self");
  const std::string op = cat("aten::", b.base_name());
  b.define(b.binary(b.base_name() == "isfinite" ? "aten::logical_and" : "aten::logical_or",
                    boolean(b, op, x.re), boolean(b, op, x.im)));
}

void isreal_rule(PairBuilder& b) {
  b.define(b.binary("aten::eq.Tensor", b.operand("self").im, b.number(0, b.component())));
}

/// Operations that only test whether a number is zero.
void truth_rule(PairBuilder& b) {
  std::vector<ir::Argument> args = b.node().args;
  for (ir::Argument& arg : args)
    ir::change_refs(arg.value, [&](ValueId& id) {
      id = b.is_complex(id) ? is_nonzero(b, b.parts(b.resolve(id))) : b.resolve(id);
    });
  b.define(b.emit(ir::op_name(b.node().op), std::move(args), b.output().dtype, b.output().shape));
}

ValueId as_condition(PairBuilder& b, std::string_view name) {
  const ValueId mask = b.cast(b.tensor(name), DType::boolean);
  return b.unsqueeze(mask, b.rank(mask));
}

void where_rule(PairBuilder& b) {
  const ValueId chosen =
      b.where(as_condition(b, "condition"), b.operand_pairs("self"), b.operand_pairs("other"));
  b.define(b.expand(chosen, b.output().shape));
}

void masked_fill_rule(PairBuilder& b) {
  b.define(b.where(as_condition(b, "mask"), b.operand_pairs("value"), b.operand_pairs("self")));
}

void to_rule(PairBuilder& b) {
  const ValueId self = b.tensor("self");
  const DType dtype = b.output().dtype;
  if (b.is_complex_tensor("self") && b.is_output_complex()) return b.define(b.cast(self, dtype));
  if (b.is_output_complex()) return b.define(b.pairs(b.cast(self, dtype)));
  const Complex x = b.parts(self);
  b.define(dtype == DType::boolean ? is_nonzero(b, x) : b.cast(x.re, dtype));
}

void copy_rule(PairBuilder& b) {
  const ValueId src = b.tensor("src");
  if (!b.is_output_complex()) return b.define(b.expand(b.parts(src).re, b.output_shape()));
  const ValueId typed = b.cast(src, b.output().dtype);
  b.define(b.expand(b.is_complex_tensor("src") ? typed : b.pairs(typed), b.output().shape));
}

/// The result may be real: a complex operand then only gives the shape.
void fill_with(PairBuilder& b, std::complex<double> value) {
  const DType dtype = b.output().dtype;
  const ValueId content = b.is_output_complex()
                              ? b.constant({2}, {value.real(), value.imag()}, dtype)
                              : b.number(value.real(), dtype);
  b.define(b.expand(content, b.output().shape));
}

void zeros_rule(PairBuilder& b) { fill_with(b, 0); }
void ones_rule(PairBuilder& b) { fill_with(b, 1); }

void full_rule(PairBuilder& b) {
  const char* name = b.has("fill_value") ? "fill_value" : "value";
  if (b.tensor(name) == ir::kNoValue) return fill_with(b, b.number_of(name));
  b.define(b.expand(b.operand_pairs(name), b.output().shape));
}

const PairRules kArithmetic = {
    {"_conj", conj_rule},
    {"_conj_copy", conj_rule},
    {"_conj_physical", conj_rule},
    {"_copy_from", copy_rule},
    {"_to_copy", to_rule},
    {"abs", abs_rule},
    {"absolute", abs_rule},
    {"add", add_rule},
    {"addcdiv", addc_rule},
    {"addcmul", addc_rule},
    {"all", truth_rule},
    {"angle", angle_rule},
    {"any", truth_rule},
    {"cast", to_rule},
    {"cdouble", to_rule},
    {"cfloat", to_rule},
    {"complex", complex_rule},
    {"conj", conj_rule},
    {"conj_physical", conj_rule},
    {"copy", copy_rule},
    {"count_nonzero", truth_rule},
    {"div", div_rule},
    {"divide", div_rule},
    {"empty", zeros_rule},
    {"empty_like", zeros_rule},
    {"eq", eq_rule},
    {"fill", full_rule},
    {"full", full_rule},
    {"full_like", full_rule},
    {"imag", imag_rule},
    {"isfinite", class_rule},
    {"isinf", class_rule},
    {"isnan", class_rule},
    {"isreal", isreal_rule},
    {"lerp", lerp_rule},
    {"logical_and", truth_rule},
    {"logical_not", truth_rule},
    {"logical_or", truth_rule},
    {"logical_xor", truth_rule},
    {"masked_fill", masked_fill_rule},
    {"mul", mul_rule},
    {"multiply", mul_rule},
    {"ne", ne_rule},
    {"neg", neg_rule},
    {"negative", neg_rule},
    {"new_empty", zeros_rule},
    {"new_full", full_rule},
    {"new_ones", ones_rule},
    {"new_zeros", zeros_rule},
    {"not_equal", ne_rule},
    {"ones", ones_rule},
    {"ones_like", ones_rule},
    {"polar", polar_rule},
    {"real", real_rule},
    {"reciprocal", reciprocal_rule},
    {"resolve_conj", same_rule},
    {"resolve_neg", same_rule},
    {"rsub", rsub_rule},
    {"sgn", sign_rule},
    {"square", square_rule},
    {"sub", sub_rule},
    {"subtract", sub_rule},
    {"to", to_rule},
    {"true_divide", div_rule},
    {"type_as", to_rule},
    {"view_as_complex", same_rule},
    {"view_as_complex_copy", same_rule},
    {"view_as_real", same_rule},
    {"view_as_real_copy", same_rule},
    {"where", where_rule},
    {"zero", zeros_rule},
    {"zeros", zeros_rule},
    {"zeros_like", zeros_rule},
};

}  // namespace

PairRule find_arithmetic_rule(std::string_view name) { return rule_in(kArithmetic, name); }

}  // namespace t2n::complex
