// SPDX-License-Identifier: Apache-2.0
// tract's reductions, cumulative sums, softmaxes and normalisations.
#include <ATen/Functions.h>

#include <optional>

#include "src/interp/kernel.h"
#include "src/interp/kernels.h"
#include "src/interp/operands.h"
#include "src/interp/tract_support.h"

namespace t2n::interp {
namespace {

Tensors product_reduce(const KernelCall& call) {
  at::Tensor out = call.tensor("input");
  for (const int64_t axis : axes_of(call, "axes", out.dim()))
    out = out.prod(axis, /*keepdim=*/true, out.scalar_type());
  return {out};
}

/// The last of equal extremes, as an index into the merged reduced axes.
template <at::Tensor (*compute)(const at::Tensor&, std::optional<int64_t>, bool)>
Tensors last_extreme(const KernelCall& call) {
  const at::Tensor input = call.tensor("input");
  const Ints axes = axes_of(call, "axes", input.dim());
  const at::Tensor rows = with_merged_axes(input, axes).flip(-1);
  const at::Tensor last = compute(rows, -1, false).neg().add(rows.size(-1) - 1);
  return {last.reshape(reduced_shape(input, axes))};
}

Tensors cumsum(const KernelCall& call) {
  at::Tensor x = call.tensor("input");
  const int64_t axis = axis_of(call, "axis", x.dim());
  const bool reverse = call.boolean("reverse");
  if (reverse) x = x.flip(axis);
  at::Tensor sums = x.cumsum(axis, x.scalar_type());
  if (call.boolean("exclusive") && x.size(axis) > 0) {
    const at::Tensor none = at::zeros_like(sums.narrow(axis, 0, 1));
    sums = at::cat({none, sums.narrow(axis, 0, x.size(axis) - 1)}, axis);
  }
  return {reverse ? sums.flip(axis) : sums};
}

at::Tensor shifted(const at::Tensor& x, const Ints& axes) {
  return x.numel() == 0 ? x : x.sub(x.amax(axes, /*keepdim=*/true));
}

at::Tensor floats(const KernelCall& call, std::string_view name) {
  at::Tensor out = call.tensor(name);
  require_dtype(out, {at::kHalf, at::kFloat, at::kDouble});
  return out;
}

/// Over all axes together. The parameter `exp` of quantised softmaxes is ignored.
Tensors tract_softmax(const KernelCall& call) {
  const at::Tensor x = floats(call, "x");
  const Ints axes = axes_of(call, "axes", x.dim());
  return {through_float(x, [&](const at::Tensor& wide) {
    const at::Tensor powers = shifted(wide, axes).exp();
    return powers.div(powers.sum(axes, /*keepdim=*/true));
  })};
}

Tensors log_softmax(const KernelCall& call) {
  const at::Tensor x = floats(call, "x");
  const Ints axes = axes_of(call, "axes", x.dim());
  return {through_float(x, [&](const at::Tensor& wide) {
    const at::Tensor differences = shifted(wide, axes);
    return differences.sub(differences.exp().sum(axes, /*keepdim=*/true).log());
  })};
}

at::Tensor rms_normalised(const at::Tensor& x, int64_t axis, double eps) {
  return x.mul(x.square().mean(axis, /*keepdim=*/true).add(eps).rsqrt());
}

/// tract always computes in f32.
Tensors rms_norm(const KernelCall& call) {
  const at::Tensor x = floats(call, "input");
  const int64_t axis = axis_of(call, "axis", x.dim());
  return {rms_normalised(x.to(at::kFloat), axis, call.f64("eps")).to(x.scalar_type())};
}

Tensors scaled_rms_norm(const KernelCall& call) {
  const at::Tensor x = floats(call, "input"), scale = call.tensor("scale");
  const int64_t axis = axis_of(call, "axis", x.dim());
  if (scale.dim() != 1 || scale.size(0) != x.size(axis))
    fail(cat("the scale is ", shape_text(scale.sizes()), ", not [", x.size(axis), "]"));
  Ints shape(static_cast<size_t>(x.dim()), 1);
  shape[axis] = x.size(axis);
  const at::Tensor out = rms_normalised(x.to(at::kFloat), axis, call.f64("eps"))
                             .mul(scale.to(at::kFloat).reshape(shape));
  const std::string& dtype = call.str("out_dt");
  return {out.to(dtype.empty() ? x.scalar_type() : dtype_named(dtype))};
}

}  // namespace

void register_tract_reduce(Kernels& kernels) {
  kernels.add("tract_core_product_reduce", product_reduce);
  kernels.add("tract_core_argmax_reduce_last", last_extreme<at::argmax>);
  kernels.add("tract_core_argmin_reduce_last", last_extreme<at::argmin>);
  kernels.add("tract_core_cumsum", cumsum);
  kernels.add("tract_core_softmax", tract_softmax);
  kernels.add("tract_core_log_softmax", log_softmax);
  for (const char* name : {"tract_core_rms_norm", "tract_transformers_rms_norm"})
    kernels.add(name, rms_norm);
  kernels.add("tract_core_scaled_rms_norm", scaled_rms_norm);
}

}  // namespace t2n::interp
