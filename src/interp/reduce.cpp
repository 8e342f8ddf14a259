// SPDX-License-Identifier: Apache-2.0
// Reductions: reduced axes are kept, with size 1 (NNEF 1.0.5 §4.4).
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <algorithm>
#include <optional>

#include "src/interp/kernels.h"
#include "src/interp/operands.h"

namespace t2n::interp {
namespace {

using Ints = Checked<int64_t>;

/// torch treats an empty list of axes as all axes.
template <typename Reduce>
at::Tensor reduced(const KernelCall& call, const at::Tensor& x, Reduce reduce) {
  const Ints axes = checked_axes(call, "axes", x.dim());
  return axes.empty() ? x : reduce(x, axes);
}

at::Tensor sum(const at::Tensor& x, const Ints& axes) {
  return at::sum(x, axes, /*keepdim=*/true, x.scalar_type());
}

int64_t reduced_count(const at::Tensor& x, const Ints& axes) {
  int64_t out = 1;
  for (const int64_t axis : axes) out *= x.size(axis);
  return out;
}

/// Means of integers, which only tract has, are truncated.
at::Tensor mean(const at::Tensor& x, const Ints& axes) {
  const at::Tensor total = sum(x, axes);
  if (!at::isFloatingType(x.scalar_type())) return at::div(total, reduced_count(x, axes), "trunc");
  return total / static_cast<double>(reduced_count(x, axes));
}

at::Tensor sum_or_mean(const KernelCall& call, bool normalize) {
  const at::Tensor x = call.tensor("input");
  const at::Tensor wide = widened(in_f32(x));
  return reduced(call, wide, normalize ? mean : sum).to(x.scalar_type());
}

Tensors sum_reduce(const KernelCall& call) {
  return {sum_or_mean(call, call.boolean("normalize"))};
}
Tensors mean_reduce(const KernelCall& call) { return {sum_or_mean(call, true)}; }

template <at::Tensor (*compute)(const at::Tensor&, at::IntArrayRef, bool)>
Tensors reduce_extreme(const KernelCall& call) {
  const at::Tensor x = call.tensor("input");
  const auto reduce = [](const at::Tensor& value, const Ints& axes) {
    return compute(value, axes, /*keepdim=*/true);
  };
  return {reduced(call, widened(x), reduce).to(x.scalar_type())};
}

/// The first position of the best value; over several axes counted in row-major order.
template <at::Tensor (*compute)(const at::Tensor&, std::optional<int64_t>, bool)>
Tensors argument_of_extreme(const KernelCall& call) {
  const at::Tensor x = widened(call.tensor("input"));
  Ints axes = checked_axes(call, "axes", x.dim());
  if (axes.empty()) return {at::zeros_like(x, at::kLong)};
  std::sort(axes.begin(), axes.end());
  return {compute(with_merged_axes(x, axes), -1, false).reshape(reduced_shape(x, axes))};
}

template <at::Tensor (*compute)(const at::Tensor&, at::OptionalIntArrayRef, bool)>
Tensors reduce_logical(const KernelCall& call) {
  const auto reduce = [](const at::Tensor& value, const Ints& axes) {
    return compute(value, at::IntArrayRef(axes), /*keepdim=*/true);
  };
  return {reduced(call, call.tensor("input"), reduce)};
}

Tensors moments(const KernelCall& call) {
  const at::Tensor x = in_f32(call.tensor("input"));
  const at::ScalarType type = call.tensor("input").scalar_type();
  const at::Tensor center = reduced(call, x, mean);
  const at::Tensor offset = x - center;
  return {center.to(type), reduced(call, offset * offset, mean).to(type)};
}

}  // namespace

void register_reduce(Kernels& kernels) {
  kernels.add("sum_reduce", sum_reduce);
  kernels.add("mean_reduce", mean_reduce);
  kernels.add("max_reduce", reduce_extreme<at::amax>);
  kernels.add("min_reduce", reduce_extreme<at::amin>);
  kernels.add("argmax_reduce", argument_of_extreme<at::argmax>);
  kernels.add("argmin_reduce", argument_of_extreme<at::argmin>);
  kernels.add("any_reduce", reduce_logical<at::any>);
  kernels.add("all_reduce", reduce_logical<at::all>);
  kernels.add("moments", moments);
}

}  // namespace t2n::interp
