// SPDX-License-Identifier: Apache-2.0
// One value for each position of the operands (NNEF 1.0.5 §4.2).
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include "src/diag/error.h"
#include "src/interp/kernels.h"
#include "src/interp/operands.h"

namespace t2n::interp {
namespace {

constexpr int64_t kMostCopies = 1 << 20;
using Unary = at::Tensor (*)(const at::Tensor&);
using Binary = at::Tensor (*)(const at::Tensor&, const at::Tensor&);

template <Unary compute>
Tensors widened_unary(const KernelCall& call) {
  const at::Tensor x = call.tensor("x");
  return {compute(widened(x)).to(x.scalar_type())};
}

template <Binary compute>
Tensors binary(const KernelCall& call) {
  const auto [x, y] = operands(call, "x", "y");
  return {compute(widened(x), widened(y)).to(x.scalar_type())};
}

template <Binary compute>
Tensors comparison(const KernelCall& call) {
  const auto [x, y] = operands(call, "x", "y");
  if (x.scalar_type() == at::kBool) fail("logicals are not compared");
  return {compute(widened(x), widened(y))};
}

template <Binary compute>
Tensors logical(const KernelCall& call) {
  const auto [x, y] = operands(call, "x", "y");
  if (at::isFloatingType(x.scalar_type())) fail(cat(call.operation(), " of scalars"));
  return {compute(x.ne(0), y.ne(0)).to(x.scalar_type())};
}

at::Tensor add(const at::Tensor& x, const at::Tensor& y) { return at::add(x, y); }
at::Tensor sub(const at::Tensor& x, const at::Tensor& y) { return at::sub(x, y); }
at::Tensor mul(const at::Tensor& x, const at::Tensor& y) { return at::mul(x, y); }
at::Tensor pow(const at::Tensor& x, const at::Tensor& y) { return at::pow(x, y); }
at::Tensor lt(const at::Tensor& x, const at::Tensor& y) { return at::lt(x, y); }
at::Tensor gt(const at::Tensor& x, const at::Tensor& y) { return at::gt(x, y); }
at::Tensor le(const at::Tensor& x, const at::Tensor& y) { return at::le(x, y); }
at::Tensor ge(const at::Tensor& x, const at::Tensor& y) { return at::ge(x, y); }
at::Tensor eq(const at::Tensor& x, const at::Tensor& y) { return at::eq(x, y); }
at::Tensor ne(const at::Tensor& x, const at::Tensor& y) { return at::ne(x, y); }

/// Integer division, which only tract has, truncates.
at::Tensor div(const at::Tensor& x, const at::Tensor& y) {
  if (at::isFloatingType(x.scalar_type())) return at::div(x, y);
  if (!at::isSignedType(y.scalar_type())) return at::div(x, y, "trunc");
  // The smallest integer divided by -1 overflows: processors raise a signal.
  const at::Tensor is_negation = at::eq(y, -1);
  return at::where(is_negation, at::neg(x),
                   at::div(x, at::where(is_negation, at::ones_like(y), y), "trunc"));
}

at::Tensor sign(const at::Tensor& x) { return at::where(x.ne(x), x, at::sign(x)); }
at::Tensor rcp(const at::Tensor& x) { return at::reciprocal(x); }
at::Tensor sqr(const at::Tensor& x) { return at::mul(x, x); }
at::Tensor rsqr(const at::Tensor& x) { return at::reciprocal(at::mul(x, x)); }
at::Tensor identity(const at::Tensor& x) { return x; }

template <Unary compute>
at::Tensor unless_integer(const at::Tensor& x) {
  return at::isFloatingType(x.scalar_type()) ? compute(x) : x;
}

at::Tensor logical_not(const at::Tensor& x) {
  if (x.scalar_type() != at::kBool) fail("only logicals are negated");
  return at::logical_not(x);
}

/// floor(x + 0.5) in the standard, half away from zero in tract. The sum itself would be rounded.
Tensors round(const KernelCall& call) {
  const at::Tensor x = call.tensor("x");
  if (!at::isFloatingType(x.scalar_type())) return {x};
  if (!call.is_tract()) {
    const at::Tensor low = at::floor(x);
    return {at::where(at::ge(x - low, 0.5), low + 1, low)};
  }
  const at::Tensor inner = at::trunc(x);
  return {at::where(at::ge(at::abs(x - inner), 0.5), inner + at::sign(x), inner)};
}

/// select(x < y, x, y) and select(x > y, x, y) in the standard, which defines the case of NaN;
/// tract takes the other operand.
template <Binary precedes, Binary tract_form>
Tensors extreme(const KernelCall& call) {
  const auto [x, y] = operands(call, "x", "y");
  const at::Tensor a = widened(x);
  const at::Tensor b = widened(y);
  if (!call.is_tract()) return {at::where(precedes(a, b), a, b)};
  return {tract_form(a, b).to(x.scalar_type())};
}

/// max(min(x, b), a)
Tensors clamp(const KernelCall& call) {
  const auto [x, upper] = operands(call, "x", "b");
  const auto [same_x, lower] = operands(call, "x", "a");
  const Tensors all = same_rank({widened(x), widened(upper), widened(lower)});
  if (call.is_tract()) return {at::fmax(at::fmin(all[0], all[1]), all[2]).to(x.scalar_type())};
  const at::Tensor capped = at::where(at::lt(all[0], all[1]), all[0], all[1]);
  return {at::where(at::gt(capped, all[2]), capped, all[2])};
}

Tensors select(const KernelCall& call) {
  const Tensors all =
      same_rank({call.tensor("condition"), call.tensor("true_value"), call.tensor("false_value")});
  if (all[0].scalar_type() != at::kBool) fail("the condition of a select is logical");
  if (all[1].scalar_type() != all[2].scalar_type())
    fail(cat("select between ", described(call.value("true_value")), " and ",
             described(call.value("false_value"))));
  return {at::where(all[0], widened(all[1]), widened(all[2])).to(all[1].scalar_type())};
}

Tensors copy_n(const KernelCall& call) {
  const int64_t times = call.i64("times");
  if (times < 0 || times > kMostCopies) fail(cat(times, " copies"));
  return Tensors(static_cast<size_t>(times), call.tensor("x"));
}

/// The sum of no tensors is 0.
Tensors add_n(const KernelCall& call) {
  at::Tensor sum = at::scalar_tensor(0.0, at::kFloat);
  for (const at::Tensor& item : call.tensors("x")) {
    const Tensors both = same_rank({sum, item});
    sum = both[0] + both[1];
  }
  return {sum};
}

void register_arithmetic(Kernels& kernels) {
  kernels.add("copy", widened_unary<identity>);
  kernels.add("neg", widened_unary<at::neg>);
  kernels.add("rcp", widened_unary<rcp>);
  kernels.add("recip", widened_unary<rcp>);
  kernels.add("abs", widened_unary<at::abs>);
  kernels.add("sign", widened_unary<sign>);
  kernels.add("floor", widened_unary<unless_integer<at::floor>>);
  kernels.add("ceil", widened_unary<unless_integer<at::ceil>>);
  kernels.add("round", round);
  kernels.add("sqr", widened_unary<sqr>);
  kernels.add("square", widened_unary<sqr>);
  kernels.add("sqrt", widened_unary<at::sqrt>);
  kernels.add("rsqr", widened_unary<rsqr>);
  kernels.add("rsqrt", widened_unary<at::rsqrt>);
  kernels.add("add", binary<add>);
  kernels.add("sub", binary<sub>);
  kernels.add("mul", binary<mul>);
  kernels.add("div", binary<div>);
  kernels.add("pow", binary<pow>);
  kernels.add("min", extreme<lt, at::fmin>);
  kernels.add("max", extreme<gt, at::fmax>);
  kernels.add("clamp", clamp);
  kernels.add("add_n", add_n);
  kernels.add("copy_n", copy_n);
}

void register_functions(Kernels& kernels) {
  kernels.add("exp", widened_unary<at::exp>);
  kernels.add("log", widened_unary<at::log>);
  kernels.add("log2", widened_unary<at::log2>);
  kernels.add("sin", widened_unary<at::sin>);
  kernels.add("cos", widened_unary<at::cos>);
  kernels.add("tan", widened_unary<at::tan>);
  kernels.add("sinh", widened_unary<at::sinh>);
  kernels.add("cosh", widened_unary<at::cosh>);
  kernels.add("tanh", widened_unary<at::tanh>);
  kernels.add("asin", widened_unary<at::asin>);
  kernels.add("acos", widened_unary<at::acos>);
  kernels.add("atan", widened_unary<at::atan>);
  kernels.add("asinh", widened_unary<at::asinh>);
  kernels.add("acosh", widened_unary<at::acosh>);
  kernels.add("atanh", widened_unary<at::atanh>);
}

void register_logic(Kernels& kernels) {
  kernels.add("lt", comparison<lt>);
  kernels.add("gt", comparison<gt>);
  kernels.add("le", comparison<le>);
  kernels.add("ge", comparison<ge>);
  kernels.add("eq", comparison<eq>);
  kernels.add("ne", comparison<ne>);
  kernels.add("and", logical<at::logical_and>);
  kernels.add("or", logical<at::logical_or>);
  kernels.add("not", widened_unary<logical_not>);
  kernels.add("select", select);
}

}  // namespace

void register_elementwise(Kernels& kernels) {
  register_arithmetic(kernels);
  register_functions(kernels);
  register_logic(kernels);
}

}  // namespace t2n::interp
