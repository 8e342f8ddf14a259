// SPDX-License-Identifier: Apache-2.0
// tract_extra's running norms, and tract_onnx's operations.
#include <ATen/Functions.h>

#include "src/interp/kernel.h"
#include "src/interp/kernels.h"
#include "src/interp/tract_support.h"

namespace t2n::interp {
namespace {

/// Moves along an axis with a decaying mean of what `measure` returns; `apply` uses it.
template <typename Measure, typename Apply>
Tensors running(const KernelCall& call, const Measure& measure, const Apply& apply) {
  const at::Tensor input = call.tensor("input");
  require_dtype(input, {at::kFloat});
  const int64_t axis = axis_of(call, "axis", input.dim()), skip = call.i64("skip");
  const double alpha = call.f64("alpha");
  const bool stateless = call.boolean("stateless");
  at::Tensor& kept = call.memory("state");
  at::Tensor& position = call.memory("place");
  const bool resume = !stateless && kept.defined();
  at::Tensor state = resume ? kept : call.tensor("state");
  int64_t index = resume ? position.item<int64_t>() : 0;
  Tensors out;
  for (const at::Tensor& slice : input.unbind(axis)) {
    if (index++ >= skip) state = measure(slice).mul(1 - alpha).add(state, alpha);
    out.push_back(apply(slice, state));
  }
  kept = state;
  position = at::scalar_tensor(index, at::kLong);
  return {at::stack(out, axis)};
}

Tensors exp_mean_norm(const KernelCall& call) {
  const double scale = call.f64("scaling_factor");
  return running(
      call, [](const at::Tensor& x) { return x; },
      [scale](const at::Tensor& x, const at::Tensor& mean) { return x.sub(mean).div(scale); });
}

/// Complex numbers are pairs on the last axis, which the state lacks.
Tensors exp_unit_norm(const KernelCall& call) {
  const bool complex = call.boolean("complex");
  const double epsilon = call.f64("epsilon");
  return running(
      call,
      [&](const at::Tensor& x) {
        return (complex ? x.square().sum(-1).sqrt() : x.abs()).clamp_min(epsilon);
      },
      [&](const at::Tensor& x, const at::Tensor& norm) {
        return x.div(complex ? norm.sqrt().unsqueeze(-1) : norm.sqrt());
      });
}

/// x / (bias + alpha/size * sum of squares of the neighbouring channels)^beta
Tensors lrn(const KernelCall& call) {
  const double alpha = call.f64("alpha"), beta = call.f64("beta"), bias = call.f64("bias");
  const int64_t size = call.i64("size");
  return {through_float(call.tensor("input"), [&](const at::Tensor& x) {
    const at::Tensor squares = x.square().movedim(1, -1);
    const at::Tensor padded = at::constant_pad_nd(squares, {(size - 1) / 2, size / 2});
    const at::Tensor sums = padded.unfold(-1, size, 1).sum(-1).movedim(-1, 1);
    return x.div(sums.mul(alpha / static_cast<double>(size)).add(bias).pow(beta));
  })};
}

/// Coordinates [rank, count], in row-major order.
Tensors non_zero(const KernelCall& call) { return {call.tensor("input").nonzero().t()}; }

}  // namespace

void register_tract_extra(Kernels& kernels) {
  kernels.add("tract_extra_exp_mean_norm", exp_mean_norm);
  kernels.add("tract_extra_exp_unit_norm", exp_unit_norm);
  kernels.add("tract_onnx_lrn", lrn);
  kernels.add("tract_onnx_non_zero", non_zero);
}

}  // namespace t2n::interp
