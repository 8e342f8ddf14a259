// SPDX-License-Identifier: Apache-2.0
// Products of matrices and normalisations (NNEF 1.0.5 §4.7, §4.9.2, §4.9.4).
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include "src/diag/error.h"
#include "src/interp/border.h"
#include "src/interp/kernels.h"
#include "src/interp/operands.h"
#include "src/interp/window.h"

namespace t2n::interp {
namespace {

/// The result has the type of A. With mixed or small integer types, torch's products would wrap
/// differently from tract's.
at::Tensor matrix_product(const at::Tensor& a, const at::Tensor& b) {
  if (a.dim() != b.dim() || a.dim() < 2)
    fail(cat("matmul of ", shape_text(a.sizes()), " and ", shape_text(b.sizes())));
  const at::Tensor left = widened(in_f32(a));
  return at::matmul(left, b.to(left.scalar_type())).to(a.scalar_type());
}

at::Tensor oriented(const at::Tensor& x, bool transposes) {
  return transposes && x.dim() >= 2 ? x.transpose(-2, -1) : x;
}

Tensors matmul(const KernelCall& call) {
  return {matrix_product(oriented(call.tensor("A"), call.boolean("transposeA")),
                         oriented(call.tensor("B"), call.boolean("transposeB")))};
}

Tensors linear(const KernelCall& call) {
  const at::Tensor filter = call.tensor("filter");
  const at::Tensor out = matrix_product(call.tensor("input"), oriented(filter, true));
  const Tensors sum = same_rank({out, cast(call.tensor("bias"), out.scalar_type())});
  return {sum[0] + sum[1]};
}

/// Means over windows with automatic zero padding, which counts in the divisor.
at::Tensor local_mean(const KernelCall& call, const at::Tensor& x) {
  Ints sizes = call.ints("size");
  if (static_cast<int64_t>(sizes.size()) != x.dim())
    fail(cat("'size' has ", sizes.size(), " items for a tensor of rank ", x.dim()));
  if (call.is_tract() && sizes.size() > 1) sizes[0] = sizes[1] = 1;
  const Window window = automatic_window(x.sizes(), sizes);
  const at::Tensor padded = extended(x, paddings(window), "constant");
  at::Tensor sum = at::zeros_like(x);
  double volume = 1;
  for (const int64_t size : sizes) volume *= static_cast<double>(size);
  for_each_entry(window, padded, [&](int64_t, at::Tensor entries) { sum += entries; });
  return sum / volume;
}

Tensors local_response_normalization(const KernelCall& call) {
  const at::Tensor x = call.tensor("input");
  const at::Tensor sigma = local_mean(call, x * x) * call.f64("alpha") + call.f64("bias");
  return {x / at::pow(sigma, call.f64("beta"))};
}

Tensors local_mean_normalization(const KernelCall& call) {
  const at::Tensor x = call.tensor("input");
  return {x - local_mean(call, x)};
}

at::Tensor divided(const KernelCall& call, const at::Tensor& x, const at::Tensor& norm) {
  return x / at::clamp_min(norm + call.f64("bias"), call.f64("epsilon"));
}

Tensors local_variance_normalization(const KernelCall& call) {
  const at::Tensor x = call.tensor("input");
  return {divided(call, x, at::sqrt(local_mean(call, x * x)))};
}

Tensors local_contrast_normalization(const KernelCall& call) {
  const at::Tensor x = call.tensor("input");
  const at::Tensor centered = x - local_mean(call, x);
  return {divided(call, centered, at::sqrt(local_mean(call, centered * centered)))};
}

at::Tensor norm_sum(const KernelCall& call, const at::Tensor& x) {
  const Ints axes = checked_axes(call, "axes", x.dim());
  return axes.empty() ? x : at::sum(x, axes, /*keepdim=*/true);
}

Tensors l1_normalization(const KernelCall& call) {
  const at::Tensor x = call.tensor("input");
  return {divided(call, x, norm_sum(call, at::abs(x)))};
}

Tensors l2_normalization(const KernelCall& call) {
  const at::Tensor x = call.tensor("input");
  return {divided(call, x, at::sqrt(norm_sum(call, x * x)))};
}

/// offset + scale * (input - mean) / sqrt(variance + epsilon)
Tensors batch_normalization(const KernelCall& call) {
  const Tensors parts =
      same_rank({call.tensor("input"), call.tensor("mean"), call.tensor("variance"),
                 call.tensor("offset"), call.tensor("scale")});
  const at::ScalarType type = parts[0].scalar_type();
  Tensors wide;
  for (const at::Tensor& part : parts) wide.push_back(in_f32(cast(part, type)));
  const at::Tensor deviation = at::sqrt(wide[2] + call.f64("epsilon"));
  return {(wide[3] + wide[4] * (wide[0] - wide[1]) / deviation).to(type)};
}

}  // namespace

void register_linear(Kernels& kernels) {
  kernels.add("matmul", matmul);
  kernels.add("linear", linear);
  kernels.add("local_response_normalization", local_response_normalization);
  kernels.add("local_mean_normalization", local_mean_normalization);
  kernels.add("local_variance_normalization", local_variance_normalization);
  kernels.add("local_contrast_normalization", local_contrast_normalization);
  kernels.add("l1_normalization", l1_normalization);
  kernels.add("l2_normalization", l2_normalization);
  kernels.add("batch_normalization", batch_normalization);
}

}  // namespace t2n::interp
