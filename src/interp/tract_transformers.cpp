// SPDX-License-Identifier: Apache-2.0
// tract's fused operations of transformers.
#include <ATen/Functions.h>

#include <cmath>
#include <limits>

#include "src/interp/kernel.h"
#include "src/interp/kernels.h"
#include "src/interp/tract_support.h"

namespace t2n::interp {
namespace {

/// input cos + (second half negated, then the first) sin; operands have the same rank.
Tensors apply_rope(const KernelCall& call) {
  const at::Tensor x = call.tensor("input"), cos = call.tensor("cos"), sin = call.tensor("sin");
  require_dtype(x, {at::kHalf, at::kFloat, at::kDouble});
  if (x.dim() != cos.dim() || x.dim() != sin.dim())
    fail(cat("the ranks are ", x.dim(), ", ", cos.dim(), " and ", sin.dim()));
  if (x.size(-1) % 2 != 0) fail(cat("the last axis has an odd size, ", x.size(-1)));
  const int64_t half = x.size(-1) / 2;
  const at::Tensor rotated = at::cat({x.narrow(-1, half, half).neg(), x.narrow(-1, 0, half)}, -1);
  return {x.mul(cos).add(rotated.mul(sin))};
}

constexpr double kMasked = -std::numeric_limits<double>::infinity();

/// Adds a float mask; a logical mask selects what to keep.
Tensors scaled_masked_softmax(const KernelCall& call) {
  const at::Tensor x = half_or_float(call, "input"), mask = call.tensor("mask");
  const bool logical = mask.scalar_type() == at::kBool;
  const bool after = call.boolean("post_softmax_mask");
  if (!logical && mask.scalar_type() != x.scalar_type())
    fail(cat("the mask is ", dtype_text(mask.scalar_type()), ", not bool or ",
             dtype_text(x.scalar_type())));
  if (after && !logical) fail("post_softmax_mask needs a mask of logicals");
  const double scale = call.f64("scale");
  return {through_float(x, [&](const at::Tensor& wide) {
    const at::Tensor scaled = wide.mul(scale);
    const at::Tensor scores =
        logical ? scaled.masked_fill(mask.logical_not(), kMasked) : scaled.add(mask);
    const at::Tensor out = at::softmax(scores, -1);
    return after ? out.masked_fill(mask.logical_not(), 0) : out;
  })};
}

/// Prepends axes of size 1 up to `rank`.
at::Tensor raised(at::Tensor x, int64_t rank) {
  while (x.dim() < rank) x = x.unsqueeze(0);
  return x;
}

/// Keys and values for each head of the queries, shared by consecutive heads.
at::Tensor for_heads(const at::Tensor& x, int64_t heads) {
  if (x.size(1) == 0 || heads % x.size(1) != 0) fail(cat(heads, " heads do not share ", x.size(1)));
  return x.repeat_interleave(heads / x.size(1), 1);
}

/// The term added to the scores. The last query aligns with the last key (0.23).
at::Tensor attention_mask(const KernelCall& call, const at::Tensor& scores, int64_t query_rank) {
  const bool is_causal = call.boolean("is_causal");
  if (is_causal && call.has("mask")) fail("there is a mask, and is_causal");
  if (is_causal) {
    const int64_t rows = scores.size(-2), columns = scores.size(-1);
    const at::Tensor visible = at::ones({rows, columns}, at::kBool).tril(columns - rows);
    return at::zeros({rows, columns}).masked_fill(visible.logical_not(), kMasked);
  }
  if (!call.has("mask")) return at::zeros({}, scores.options());
  at::Tensor mask = call.tensor("mask");
  require_dtype(mask, {at::kHalf, at::kFloat, at::kDouble});
  if (mask.dim() > query_rank) fail("the mask has more axes than the queries");
  mask = raised(mask, query_rank);
  return (query_rank == 3 ? mask.unsqueeze(1) : mask).to(scores.scalar_type());
}

Tensors sdpa(const KernelCall& call) {
  const at::Tensor query = call.tensor("q");
  require_dtype(query, {at::kHalf, at::kFloat, at::kDouble});
  const int64_t rank = query.dim();
  if (rank != 3 && rank != 4) fail(cat("the queries have rank ", rank, ", not 3 or 4"));
  const auto operand = [&](std::string_view name) {
    at::Tensor x = call.tensor(name);
    if (x.dim() != rank) fail("the ranks of queries, keys and values differ");
    if (x.scalar_type() == at::kHalf) x = x.to(at::kFloat);
    return rank == 3 ? x.unsqueeze(1) : x;
  };
  const at::Tensor q = operand("q");
  const at::Tensor k = for_heads(operand("k"), q.size(1));
  const at::Tensor v = for_heads(operand("v"), q.size(1));
  const double scale =
      call.has("scale") ? call.f64("scale") : 1 / std::sqrt(static_cast<double>(k.size(-1)));
  const at::Tensor scores = q.matmul(k.transpose(-2, -1)).mul(scale);
  const at::Tensor shares = at::softmax(scores.add(attention_mask(call, scores, rank)), -1);
  const at::Tensor out = shares.matmul(v).to(query.scalar_type());
  return {rank == 3 ? out.squeeze(1) : out};
}

/// The inputs of all runs so far, concatenated.
Tensors dyn_kv_cache(const KernelCall& call) {
  const at::Tensor input = call.tensor("input");
  const int64_t axis = axis_of(call, "axis", input.dim());
  at::Tensor& kept = call.memory("cache");
  kept = kept.defined() ? at::cat({kept, input}, axis) : input;
  return {kept};
}

}  // namespace

void register_tract_transformers(Kernels& kernels) {
  kernels.add("tract_transformers_apply_rope", apply_rope);
  kernels.add("tract_transformers_scaled_masked_softmax", scaled_masked_softmax);
  kernels.add("tract_transformers_sdpa", sdpa);
  kernels.add("tract_transformers_dyn_kv_cache", dyn_kv_cache);
}

}  // namespace t2n::interp
