// SPDX-License-Identifier: Apache-2.0
// Activations: one tensor in, one out; at most one axis.
#include <limits>

#include "ir/half.h"
#include "ops/pointwise/families.h"
#include "ops/pointwise/special.h"
#include "src/diag/error.h"
#include "src/translate/arith.h"
#include "src/translate/registry.h"
#include "src/translate/sizes.h"

namespace t2n::ops {
namespace {

/// A fragment of `self` alone, computed in f32 if it is f16.
constexpr UnaryRow kActivationFragments[] = {
    {"aten::mish", "t2n_mish", "self * tanh(log(1 + exp(self)))", {}},
    {"aten::log_sigmoid", "t2n_log_sigmoid", "-log(1 + exp(-self)), without overflow", {}},
    {"aten::hardsigmoid", "t2n_hard_sigmoid", "min(max(self + 3, 0), 6) / 6", {}},
};

Ref clamped(Emitter& out, Ref x, Ref low, Ref high) {
  return minimum(out, maximum(out, x, low), high);
}

Ref sigmoid_of(Emitter& out, Ref x) {
  return out.elementwise(out.dtype(x) == DType::f64 ? "t2n_sigmoid" : "sigmoid", {x});
}

void relu(const OpView& op, Emitter& out) { out.result("relu", {op.tensor("self")}); }

void relu6(const OpView& op, Emitter& out) {
  const Ref x = op.tensor("self");
  finish(op, out, clamped(out, x, like(out, 0, x), like(out, 6, x)));
}

void hardtanh(const OpView& op, Emitter& out) {
  const Ref x = op.tensor("self");
  const DType dtype = out.dtype(x);
  finish(op, out,
         clamped(out, x, converted_number(op, out, "min_val", dtype),
                 converted_number(op, out, "max_val", dtype)));
}

void threshold(const OpView& op, Emitter& out) {
  const Ref x = op.tensor("self");
  const Ref limit = converted_number(op, out, "threshold", out.dtype(x));
  const Ref value = converted_number(op, out, "value", out.dtype(x));
  finish(op, out, select(out, compare(out, "le", x, limit), value, x));
}

/// slope * x for negative x; tract's leaky_relu lacks f64.
Ref leaky(Emitter& out, Ref x, double slope) {
  if (!ir::is_normal_in_f16(slope)) x = widened(out, x);
  if (out.dtype(x) != DType::f64) return out.elementwise("leaky_relu", {x}, {}, {{"alpha", slope}});
  const Ref is_positive = compare(out, "gt", x, like(out, 0, x));
  return select(out, is_positive, x, mul(out, x, like(out, slope, x)));
}

void leaky_relu(const OpView& op, Emitter& out) {
  finish(op, out, leaky(out, op.tensor("self"), op.f64("negative_slope")));
}

/// In inference the slope is the middle of its range.
void rrelu(const OpView& op, Emitter& out) {
  op.require("training", 0);
  op.ignore("generator", "nothing is random in eval");
  finish(op, out, leaky(out, op.tensor("self"), (op.f64("lower") + op.f64("upper")) / 2));
}

/// `weight` has one slope, or one per index of axis 1.
void prelu(const OpView& op, Emitter& out) {
  const Ref x = op.tensor("self");
  Ref weight = op.tensor("weight");
  const auto known = out.constant_value(weight);
  if (known && known->elements() == 1)
    return finish(op, out, leaky(out, x, ir::element_f64(*known, 0)));
  if (op.op() == "aten::prelu" && out.rank(weight) == 1 && out.rank(x) > 1) {
    Shape shape(static_cast<size_t>(out.rank(x)) - 1, Dim(1));
    shape[0] = out.shape(weight)[0];
    weight = out.reshape(weight, shape);
  }
  const Ref is_positive = compare(out, "gt", x, like(out, 0, x));
  finish(op, out, select(out, is_positive, x, mul(out, weight, x)));
}

/// positive * x for positive x, else negative * (exp(rate * x) - 1).
void exponential(const OpView& op, Emitter& out, double negative, double positive, double rate) {
  const Ref x = widened(out, op.tensor("self"));
  finish(op, out,
         out.elementwise("t2n_elu",
                         {x, like(out, negative, x), like(out, positive, x), like(out, rate, x)}));
}

void elu(const OpView& op, Emitter& out) {
  const double scale = op.f64("scale");
  exponential(op, out, op.f64("alpha") * scale, scale, op.f64("input_scale"));
}

void celu(const OpView& op, Emitter& out) {
  const double alpha = op.f64("alpha");
  exponential(op, out, alpha, 1, 1 / alpha);
}

void selu(const OpView& op, Emitter& out) {
  constexpr double kAlpha = 1.6732632423543772848170429916717;
  constexpr double kScale = 1.0507009873554804934193349852946;
  exponential(op, out, kAlpha * kScale, kScale, 1);
}

/// op.nnef() is tract's silu, or the product that tract recognises as one.
void silu(const OpView& op, Emitter& out) {
  const Ref x = op.tensor("self");
  if (out.dtype(x) == DType::f64) return finish(op, out, mul(out, x, sigmoid_of(out, x)));
  const bool is_native = op.nnef() != "t2n_silu";
  finish(op, out, out.elementwise(op.nnef(), {is_native ? x : widened(out, x)}));
}

void hardswish(const OpView& op, Emitter& out) {
  const Ref x = op.tensor("self");
  out.result(out.dtype(x) == DType::f64 ? "t2n_hard_swish" : "tract_core_hard_swish", {x});
}

/// NNEF's own gelu is x * sigmoid(1.702 x), off by up to 2e-2: not used. op.nnef() is the tanh
/// form.
void gelu(const OpView& op, Emitter& out) {
  const Ref x = op.tensor("self");
  if (op.one_of("approximate", {"none", "tanh"}) == "none")
    return finish(op, out, exact_gelu(out, x));
  if (op.nnef() != "t2n_gelu_tanh" && out.dtype(x) != DType::f64)
    return out.result(op.nnef(), {x}, {{"fast_impl", false}});
  const Ref wide = widened(out, x);
  const Ref root = like(out, 0.79788456080286535588, wide);  // sqrt(2 / pi)
  finish(op, out, out.elementwise("t2n_gelu_tanh", {wide, root, like(out, 0.044715, wide)}));
}

void softplus(const OpView& op, Emitter& out) {
  const Ref x = widened(out, op.tensor("self"));
  const DType dtype = out.dtype(x);
  finish(op, out,
         out.elementwise("t2n_softplus",
                         {x, op.number("beta", dtype), op.number("threshold", dtype)}));
}

void softshrink(const OpView& op, Emitter& out) {
  const Ref x = op.tensor("self");
  const double lambda = op.f64("lambd");
  finish(op, out, sub(out, x, clamped(out, x, like(out, -lambda, x), like(out, lambda, x))));
}

void hardshrink(const OpView& op, Emitter& out) {
  const Ref x = op.tensor("self");
  const Ref is_small = compare(out, "le", magnitude(out, x), like(out, op.f64("lambd"), x));
  finish(op, out, select(out, is_small, like(out, 0, x), x));
}

void glu(const OpView& op, Emitter& out) {
  const Ref x = op.tensor("self");
  const int axis = op.axis("dim");
  const Dim half = floor_div(size_of(out, x, axis), 2);
  const Ref gate = out.slice(x, axis, half, half + half);
  finish(op, out, mul(out, out.slice(x, axis, 0, half), sigmoid_of(out, gate)));
}

/// dtype= casts before the operation. op.nnef() takes `axes`.
void softmax(const OpView& op, Emitter& out) {
  ignore_present(op, {"dtype", "half_to_float"}, "the result's dtype shows them");
  const Ref self = op.tensor("self");
  const int axis = op.axis("dim");
  Ref x = widened(out, out.cast(self, op.dtype()));
  const bool is_scalar = out.rank(x) == 0;
  if (is_scalar) x = out.unsqueeze(x, {0});
  Ref y = out.elementwise(op.nnef(), {x}, {}, {{"axes", Ints{axis}}});
  if (is_scalar) y = out.squeeze(y, {0});
  finish(op, out, y);
}

/// Rows that a mask hides completely give zeros, not NaN.
void safe_softmax(const OpView& op, Emitter& out) {
  op.ignore("dtype", "the result's dtype shows it");
  const Ref x = at_least_1d(out, widened(out, out.cast(op.tensor("self"), op.dtype())));
  const Ints axes = {op.axis("dim")};
  const Ref is_masked =
      compare(out, "eq", x, like(out, -std::numeric_limits<double>::infinity(), x));
  const Ref all_masked = reduce(out, "min_reduce", is_masked, axes);
  const Ref y = out.elementwise("softmax", {x}, {}, {{"axes", axes}});
  finish(op, out, out.reshape(select(out, all_masked, like(out, 0, x), y), op.shape()));
}

/// The second output is exp(-|self|), for the backward pass.
void log_sigmoid_forward(const OpView& op, Emitter& out) {
  const Ref x = widened(out, op.tensor("self"));
  finish(op, out, out.elementwise("t2n_log_sigmoid", {x}), 0);
  if (op.is_used(1)) finish(op, out, out.elementwise("exp", {neg(out, magnitude(out, x))}), 1);
}

void register_exponentials(Registry& r) {
  r.elementwise(
      {"aten::elu"},
      {"t2n_elu", "scale * (self > 0 ? self : alpha * (exp(input_scale * self) - 1))", elu});
  r.elementwise({"aten::celu"},
                {"t2n_elu", "self > 0 ? self : alpha * (exp(self / alpha) - 1)", celu});
  r.elementwise({"aten::selu"},
                {"t2n_elu", "1.0507 * (self > 0 ? self : 1.67326 * (exp(self) - 1))", selu});
}

void register_gated(Registry& r) {
  r.elementwise({.op = "aten::silu",
                 .doc = "self * sigmoid(self)",
                 .variants = {{has(Feature::core_silu), "tract_core_silu", silu},
                              {any_target(), "t2n_silu", silu}}});
  r.elementwise(
      {.op = "aten::gelu",
       .doc = "self * Phi(self), or its approximation with tanh",
       .variants = {{has(Feature::core_gelu_approx, Feature::transformers_gelu),
                     "tract_core_gelu_approx", gelu},
                    {has(Feature::transformers_gelu), "tract_transformers_gelu_approx", gelu},
                    {any_target(), "t2n_gelu_tanh", gelu}}});
  r.elementwise({"aten::hardswish"},
                {"tract_core_hard_swish", "self * min(max(self + 3, 0), 6) / 6", hardswish});
  r.same({"aten::glu"}, {"sigmoid", "first half * sigmoid(second half) along dim", glu});
}

void register_softmax(Registry& r) {
  r.same({"aten::softmax.int", "aten::_softmax", "aten::special_softmax"},
         {"softmax", "exp(self) / sum(exp(self), dim)", softmax});
  r.add({.op = "aten::log_softmax.int",
         .also = {"aten::_log_softmax", "aten::special_log_softmax"},
         .doc = "self - log(sum(exp(self), dim))",
         .variants = {{has(Feature::log_softmax), "tract_core_log_softmax", softmax},
                      {any_target(), "t2n_log_softmax", softmax}}});
  r.same({"aten::_safe_softmax"},
         {"softmax", "exp(self) / sum(exp(self), dim), 0 where all of self is -inf", safe_softmax});
  r.elementwise({"aten::log_sigmoid_forward"},
                {"t2n_log_sigmoid", "-log(1 + exp(-self)), and exp(-|self|)", log_sigmoid_forward});
}

void register_piecewise(Registry& r) {
  r.elementwise({"aten::relu"}, {"relu", "max(self, 0)", relu});
  r.elementwise({"aten::relu6"}, {"max", "min(max(self, 0), 6)", relu6});
  r.elementwise({"aten::hardtanh"}, {"max", "min(max(self, min_val), max_val)", hardtanh});
  r.elementwise({"aten::threshold"}, {"select", "self > threshold ? self : value", threshold});
  r.elementwise({"aten::leaky_relu"},
                {"leaky_relu", "self > 0 ? self : negative_slope * self", leaky_relu});
  r.elementwise({"aten::rrelu"},
                {"leaky_relu", "self > 0 ? self : (lower + upper) / 2 * self", rrelu});
  r.elementwise({"aten::softshrink"}, {"sub", "self - min(max(self, -lambd), lambd)", softshrink});
  r.elementwise({"aten::hardshrink"}, {"select", "|self| > lambd ? self : 0", hardshrink});
  r.same({"aten::prelu", "aten::_prelu_kernel"},
         {"select", "self > 0 ? self : weight * self", prelu});
}

/// One slope, or one for each channel.
Shapes prelu_shapes(const ShapeView& op) {
  const Shape& x = op.shape("self");
  const Shape& slope = op.shape("weight");
  if (slope.size() == 1) op.require_fit(slope, {dim_rank(x) > 1 ? x.at(1) : Dim(1)});
  return {x};
}

/// One half of the entries gates the other.
Shapes glu_shapes(const ShapeView& op) {
  const Shape& x = op.shape("self");
  const int axis = op.axis("dim", dim_rank(x));
  return {with_dim(x, axis, floor_div(x.at(axis), 2))};
}

}  // namespace

void register_activation(Registry& r) {
  r.unary(kActivationFragments, fragment_of_self);
  r.elementwise(
      {"aten::softplus"},
      {"t2n_softplus", "log(1 + exp(beta * self)) / beta, self above the threshold", softplus});
  register_exponentials(r);
  register_gated(r);
  register_piecewise(r);
  register_softmax(r);
  r.shapes(shapes::same,
           "_prelu_kernel _log_softmax _safe_softmax _softmax log_softmax softmax softmin "
           "special_log_softmax special_softmax");
  r.shapes(prelu_shapes, "prelu");
  r.shapes(glu_shapes, "glu");
  r.bounds({bounds::kept}, "relu");
  r.zero_signs(ZeroSign::propagated,
               "elu gelu hardsigmoid hardswish hardtanh leaky_relu relu relu6 sigmoid silu softmax "
               "tanh");
}

}  // namespace t2n::ops
