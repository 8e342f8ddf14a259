// SPDX-License-Identifier: Apache-2.0
// Activation functions by the formulas of NNEF 1.0.5 §4.9.1, rounding and overflow included.
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <numeric>

#include "src/interp/kernels.h"
#include "src/interp/operands.h"

namespace t2n::interp {
namespace {

template <at::Tensor (*compute)(const at::Tensor&)>
Tensors unary(const KernelCall& call) {
  return {compute(call.tensor("x"))};
}

/// max(x, 0): a NaN is not greater than 0, so it becomes 0, as in tract.
at::Tensor relu(const at::Tensor& x) { return at::where(at::gt(x, 0), x, at::zeros_like(x)); }

at::Tensor softplus(const at::Tensor& x) { return at::log(at::exp(x) + 1); }

/// The body in the specification; its comment mentions the exact x*Phi(x) as an alternative.
at::Tensor gelu(const at::Tensor& x) { return x * at::sigmoid(x * 1.702); }

at::Tensor silu(const at::Tensor& x) { return x * at::sigmoid(x); }

at::Tensor negative_part(const at::Tensor& x, const at::Tensor& negative) {
  return at::where(at::lt(x, 0), negative, x);
}

Tensors prelu(const KernelCall& call) {
  const auto [x, alpha] = operands(call, "x", "alpha");
  return {negative_part(x, alpha * x)};
}

Tensors leaky_relu(const KernelCall& call) {
  const at::Tensor x = call.tensor("x");
  return {negative_part(x, x * call.f64("alpha"))};
}

/// tract's fragment has no alpha.
Tensors elu(const KernelCall& call) {
  const at::Tensor x = call.tensor("x");
  const double alpha = call.is_tract() ? 1.0 : call.f64("alpha");
  return {negative_part(x, (at::exp(x) - 1) * alpha)};
}

Tensors selu(const KernelCall& call) {
  const at::Tensor x = call.tensor("x");
  return {negative_part(x, (at::exp(x) - 1) * call.f64("alpha")) * call.f64("lambda")};
}

Tensors softabs(const KernelCall& call) {
  const at::Tensor x = call.tensor("x");
  return {at::sqrt(x * x + call.f64("epsilon"))};
}

Tensors softmax(const KernelCall& call) {
  const at::Tensor x = call.tensor("x");
  const Ints axes = checked_axes(call, "axes", x.dim());
  if (axes.empty()) return {at::ones_like(x)};
  if (x.numel() == 0) return {x};
  const at::Tensor wide = in_f32(x);
  const at::Tensor powers = at::exp(wide - at::amax(wide, axes, /*keepdim=*/true));
  return {(powers / at::sum(powers, axes, /*keepdim=*/true)).to(x.scalar_type())};
}

}  // namespace

void register_activation(Kernels& kernels) {
  kernels.add("relu", unary<relu>);
  kernels.add("sigmoid", unary<at::sigmoid>);
  kernels.add("softplus", unary<softplus>);
  kernels.add("gelu", unary<gelu>);
  kernels.add("silu", unary<silu>);
  kernels.add("prelu", prelu);
  kernels.add("leaky_relu", leaky_relu);
  kernels.add("elu", elu);
  kernels.add("selu", selu);
  kernels.add("softabs", softabs);
  kernels.add("softmax", softmax);
}

}  // namespace t2n::interp
