// SPDX-License-Identifier: Apache-2.0
// Upsampling and downsampling by integer factors (NNEF 1.0.5 §4.3.4).
#include "src/interp/resample.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <cmath>

#include "src/diag/error.h"
#include "src/interp/border.h"
#include "src/interp/kernels.h"
#include "src/interp/operands.h"

namespace t2n::interp {
namespace {

/// One for each spatial axis.
Ints factors(const KernelCall& call, const at::Tensor& x) {
  const Ints factor = call.ints("factor");
  if (static_cast<int64_t>(factor.size()) != x.dim() - 2)
    fail(cat(factor.size(), " factors for a tensor of rank ", x.dim()));
  for (const int64_t item : factor)
    if (item < 1) fail(cat("a factor of ", item));
  return factor;
}

Tensors nearest_downsample(const KernelCall& call) {
  at::Tensor x = call.tensor("input");
  const Ints factor = factors(call, x);
  for (size_t at = 0; at < factor.size(); ++at) {
    const auto axis = static_cast<int64_t>(at) + 2;
    x = x.slice(axis, 0, x.size(axis), factor[at]);
  }
  return {x};
}

Tensors area_downsample(const KernelCall& call) {
  at::Tensor x = call.tensor("input");
  const Ints factor = factors(call, x);
  for (size_t at = 0; at < factor.size(); ++at) {
    const auto axis = static_cast<int64_t>(at) + 2;
    const int64_t count = x.size(axis) / factor[at];
    Ints split = x.sizes().vec();
    split[at + 2] = count;
    split.insert(split.begin() + axis + 1, factor[at]);
    x = at::mean(x.slice(axis, 0, count * factor[at]).reshape(split), {axis + 1});
  }
  return {x};
}

Tensors nearest_upsample(const KernelCall& call) {
  at::Tensor x = call.tensor("input");
  const Ints factor = factors(call, x);
  for (size_t at = 0; at < factor.size(); ++at)
    x = at::repeat_interleave(x, factor[at], static_cast<int64_t>(at) + 2);
  return {x};
}

/// The positions of the larger axis's entries on the smaller axis.
Checked<double> positions(const std::string& method, int64_t size, int64_t factor) {
  const auto last = static_cast<double>(size * factor - 1);
  const auto step = static_cast<double>(factor);
  Checked<double> out;
  for (int64_t at = 0; at < size * factor; ++at) {
    const auto index = static_cast<double>(at);
    if (method == "asymmetric") out.push_back(index / step);
    if (method == "symmetric") out.push_back((index - (step - 1) / 2) / step);
    if (method == "aligned")
      out.push_back(size == 1 ? 0 : index * static_cast<double>(size - 1) / last);
  }
  if (out.empty()) fail(cat("there is no method ", quoted(method)));
  return out;
}

Tensors multilinear_upsample(const KernelCall& call) {
  const at::Tensor input = call.tensor("input");
  const Ints factor = factors(call, input);
  at::Tensor x = in_f32(input);
  for (size_t at = 0; at < factor.size(); ++at) {
    const auto axis = static_cast<int64_t>(at) + 2;
    x = interpolated(x, axis, positions(call.str("method"), x.size(axis), factor[at]),
                     call.str("border"));
  }
  return {x.to(input.scalar_type())};
}

}  // namespace

at::Tensor interpolated(const at::Tensor& x, int64_t axis, const Checked<double>& positions,
                        const std::string& border) {
  Ints below;
  Checked<double> weight;
  for (const double position : positions) {
    const double low = std::floor(position);
    below.push_back(static_cast<int64_t>(low) + 1);  // on the axis with one entry prepended
    weight.push_back(position - low);
  }
  Padding around(static_cast<size_t>(x.dim()), {0, 0});
  around[axis] = {1, 1};
  const at::Tensor wide = extended(x, around, border);
  Ints shape(static_cast<size_t>(x.dim()), 1);
  shape[axis] = static_cast<int64_t>(positions.size());
  const at::Tensor upper = at::tensor(weight, x.options()).reshape(shape);
  const at::Tensor indices = at::tensor(below, at::kLong);
  const at::Tensor low = wide.index_select(axis, indices);
  const at::Tensor high = wide.index_select(axis, at::clamp_max(indices + 1, wide.size(axis) - 1));
  return low * (1 - upper) + high * upper;
}

void register_resample(Kernels& kernels) {
  kernels.add("nearest_downsample", nearest_downsample);
  kernels.add("area_downsample", area_downsample);
  kernels.add("nearest_upsample", nearest_upsample);
  kernels.add("multilinear_upsample", multilinear_upsample);
}

}  // namespace t2n::interp
