// SPDX-License-Identifier: Apache-2.0
// tract's elementwise operations that the specification lacks, and its integer arithmetic.
#include <ATen/Functions.h>

#include "src/interp/kernel.h"
#include "src/interp/kernels.h"
#include "src/interp/operands.h"
#include "src/interp/tract_support.h"

namespace t2n::interp {
namespace {

/// A function of f16 or f32, computed in f32.
template <at::Tensor (*function)(const at::Tensor&)>
Tensors half_unary(const KernelCall& call) {
  return {through_float(half_or_float(call, "input"), function)};
}

at::Tensor round_even(const at::Tensor& x) { return x.round(); }
at::Tensor erf(const at::Tensor& x) { return x.erf(); }
at::Tensor hard_swish(const at::Tensor& x) { return x.mul(x.div(6).add(0.5).clamp(0, 1)); }
at::Tensor tract_silu(const at::Tensor& x) { return x.mul(x.sigmoid()); }

Tensors is_nan(const KernelCall& call) { return {half_or_float(call, "input").isnan()}; }

Tensors is_inf(const KernelCall& call) {
  const at::Tensor x = half_or_float(call, "input");
  at::Tensor out = at::zeros(x.sizes(), at::kBool);
  if (call.boolean("detect_positive")) out = out.logical_or(x.isposinf());
  if (call.boolean("detect_negative")) out = out.logical_or(x.isneginf());
  return {out};
}

/// x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))); the fast form has a square for the cube.
Tensors gelu_approx(const KernelCall& call) {
  const bool fast = call.boolean("fast_impl");
  return {through_float(half_or_float(call, "input"), [fast](const at::Tensor& x) {
    const at::Tensor power = fast ? x.square() : x.pow(3);
    constexpr double kRootOfTwoOverPi = 0.7978845608028654;
    const at::Tensor inner = x.add(power, 0.044715).mul(kRootOfTwoOverPi);
    return x.mul(0.5).mul(inner.tanh().add(1));
  })};
}

Tensors pow_const(const KernelCall& call) {
  const double exponent = call.f64("exponent");
  return {through_float(half_or_float(call, "input"),
                        [exponent](const at::Tensor& x) { return x.pow(exponent); })};
}

/// gate sigmoid(alpha gate) (up + 1), both limited from above, `up` from below as well; in f32.
Tensors clamped_swiglu(const KernelCall& call) {
  const double alpha = call.f64("alpha"), limit = call.f64("limit");
  const at::Tensor gate = call.tensor("gate").to(at::kFloat).clamp_max(limit);
  const at::Tensor up = call.tensor("up").to(at::kFloat).clamp(-limit, limit);
  return {gate.mul(gate.mul(alpha).sigmoid()).mul(up.add(1))};
}

/// tract treats an integer literal as a dimension, which has no bit operations.
std::pair<at::Tensor, at::Tensor> integer_operands(const KernelCall& call) {
  for (const char* name : {"x", "y"})
    if (call.value(name).get<int64_t>() != nullptr)
      fail("tract treats an integer literal as a dimension, which has no bits", "",
           "cast it: tract_core_cast(3, to='i64')");
  return operands(call, "x", "y");
}

Tensors logical_xor(const KernelCall& call) {
  const auto [x, y] = integer_operands(call);
  require_dtype(x, {at::kBool});
  return {x.logical_xor(y)};
}

/// Bits of integers and logicals.
template <at::Tensor (at::Tensor::*function)(const at::Tensor&) const>
Tensors bitwise(const KernelCall& call) {
  const auto [x, y] = integer_operands(call);
  require_integers(x, /*or_bool=*/true);
  return {(x.*function)(y)};
}

Tensors bitnot(const KernelCall& call) {
  const at::Tensor x = call.tensor("input");
  require_integers(x, /*or_bool=*/true);
  return {x.bitwise_not()};
}

/// The amount is taken modulo the width, as processors do.
at::Tensor amount(const at::Tensor& y) {
  return y.bitwise_and(static_cast<int64_t>(8 * at::elementSize(y.scalar_type()) - 1));
}

Tensors shift_left(const KernelCall& call) {
  const auto [x, y] = integer_operands(call);
  require_integers(x, /*or_bool=*/false);
  return {x.bitwise_left_shift(amount(y))};
}

Tensors shift_right(const KernelCall& call) {
  const auto [x, y] = integer_operands(call);
  require_integers(x, /*or_bool=*/false);
  return {x.bitwise_right_shift(amount(y))};
}

}  // namespace

void register_tract_elementwise(Kernels& kernels) {
  kernels.add("tract_core_round_even", half_unary<round_even>);
  kernels.add("tract_core_erf", half_unary<erf>);
  kernels.add("tract_core_hard_swish", half_unary<hard_swish>);
  kernels.add("tract_core_silu", half_unary<tract_silu>);
  kernels.add("tract_transformers_silu", half_unary<tract_silu>);
  for (const char* name : {"tract_core_is_nan", "tract_onnx_is_nan"}) kernels.add(name, is_nan);
  for (const char* name : {"tract_core_is_inf", "tract_onnx_isinf"}) kernels.add(name, is_inf);
  for (const char* name : {"tract_core_gelu_approx", "tract_transformers_gelu_approx"})
    kernels.add(name, gelu_approx);
  kernels.add("tract_core_pow_const", pow_const);
  kernels.add("tract_core_clamped_swiglu", clamped_swiglu);
  kernels.add("tract_core_xor", logical_xor);
  kernels.add("tract_core_bitand", bitwise<&at::Tensor::bitwise_and>);
  kernels.add("tract_core_bitor", bitwise<&at::Tensor::bitwise_or>);
  kernels.add("tract_core_bitxor", bitwise<&at::Tensor::bitwise_xor>);
  kernels.add("tract_core_bitnot", bitnot);
  kernels.add("tract_shl", shift_left);
  kernels.add("tract_shr", shift_right);
}

}  // namespace t2n::interp
