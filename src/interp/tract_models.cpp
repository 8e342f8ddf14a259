// SPDX-License-Identifier: Apache-2.0
// tract's operations for specific model families: experts, and linear attention.
#include <ATen/Functions.h>

#include <cmath>

#include "src/interp/kernel.h"
#include "src/interp/kernels.h"
#include "src/interp/tract_support.h"

namespace t2n::interp {
namespace {

/// The experts of each token, and their weights.
struct Routes {
  at::Tensor experts;  ///< [tokens, k]
  at::Tensor weights;
};

Routes routes(const KernelCall& call, const at::Tensor& tokens) {
  at::Tensor logits = tokens.matmul(call.tensor("wg").to(at::kFloat).t());
  if (call.has("wg_bias")) logits = logits.add(call.tensor("wg_bias"));
  const int64_t k = call.i64("k");
  if (k < 1 || k > logits.size(-1)) fail(cat("there are ", logits.size(-1), " experts, k is ", k));
  const auto [best, experts] = logits.topk(k, -1);
  const std::string& gate = call.str("gate");
  if (gate == "softmax_topk") return {experts, at::softmax(best, -1)};
  if (gate == "softmax_all") return {experts, at::softmax(logits, -1).gather(-1, experts)};
  if (gate == "sigmoid") return {experts, best.sigmoid()};
  if (gate == "raw") return {experts, best};
  fail(cat("there is no gate ", quoted(gate)));
}

/// Combines the first one or two products; `up` is undefined without w3.
at::Tensor activated(const KernelCall& call, const at::Tensor& gate, const at::Tensor& up) {
  const std::string& name = call.str("activation");
  if (name == "swiglu") {
    if (!up.defined() || !call.has("act_alpha") || !call.has("act_limit"))
      fail("'swiglu' needs w3, act_alpha and act_limit");
    const double limit = call.f64("act_limit");
    const at::Tensor low = gate.clamp_max(limit);
    return low.mul(low.mul(call.f64("act_alpha")).sigmoid()).mul(up.clamp(-limit, limit).add(1));
  }
  at::Tensor out;
  if (name == "silu") {
    out = at::silu(gate);
  } else if (name == "gelu") {
    out = at::gelu(gate, "tanh");
  } else if (name == "relu") {
    out = gate.relu();
  } else {
    fail(cat("there is no activation ", quoted(name)));
  }
  return up.defined() ? out.mul(up) : out;
}

/// Products of the tokens with one expert's matrix; "linear" matrices are [E, out, in].
at::Tensor expert_product(const KernelCall& call, const at::Tensor& x, const std::string& name,
                          int64_t expert) {
  at::Tensor matrix = call.tensor(name)[expert].to(at::kFloat);
  if (call.str("expert_layout") == "linear") matrix = matrix.t();
  const at::Tensor out = x.matmul(matrix);
  return call.has(name + "_bias") ? out.add(call.tensor(name + "_bias")[expert]) : out;
}

/// The weighted sum of each token's k experts.
Tensors moe_ffn(const KernelCall& call) {
  const std::string& layout = call.str("expert_layout");
  if (layout != "canonical" && layout != "linear") fail(cat("there is no layout ", quoted(layout)));
  const at::Tensor x = call.tensor("x");
  const at::Tensor tokens = x.reshape({-1, x.size(-1)}).to(at::kFloat);
  const Routes chosen = routes(call, tokens);
  at::Tensor out = at::zeros_like(tokens);
  const int64_t experts = call.tensor("w1").size(0);
  for (int64_t expert = 0; expert < experts; ++expert) {
    const at::Tensor matches = chosen.experts.eq(expert).nonzero();
    if (matches.size(0) == 0) continue;
    const at::Tensor rows = matches.select(1, 0);
    const at::Tensor expert_tokens = tokens.index_select(0, rows);
    const at::Tensor up =
        call.has("w3") ? expert_product(call, expert_tokens, "w3", expert) : at::Tensor();
    const at::Tensor hidden =
        activated(call, expert_product(call, expert_tokens, "w1", expert), up);
    const at::Tensor share = chosen.weights.masked_select(chosen.experts.eq(expert)).unsqueeze(1);
    out = out.index_add(0, rows, expert_product(call, hidden, "w2", expert).mul(share));
  }
  return {out.reshape(x.sizes()).to(x.scalar_type())};
}

void require_shape(const at::Tensor& tensor, const Ints& shape) {
  if (tensor.sizes().vec() != shape)
    fail(cat("a tensor is ", shape_text(tensor.sizes()), ", not ", shape_text(shape)));
}

/// A convolution over the last entries of each channel [b, C, S], then silu; the state contains the
/// previous entries.
Tensors causal_conv1d_update(const KernelCall& call) {
  const at::Tensor input = call.tensor("input"), state = call.tensor("initial_state");
  const at::Tensor weight = call.tensor("weight");
  for (const at::Tensor* each : {&input, &state, &weight}) require_dtype(*each, {at::kHalf});
  if (input.dim() != 3) fail(cat("the input has rank ", input.dim(), ", not 3"));
  const int64_t width = weight.size(-1), channels = input.size(1), length = input.size(2);
  require_shape(state, {input.size(0), channels, width});
  const at::Tensor share = weight.reshape({channels, 1, width}).to(at::kFloat);
  const at::Tensor all = at::cat({state, input}, -1);
  const at::Tensor windows = all.narrow(-1, 1, length + width - 1).unfold(-1, width, 1);
  const at::Tensor sums = windows.to(at::kFloat).mul(share).sum(-1);
  return {at::silu(sums).to(at::kHalf), all.narrow(-1, length, width)};
}

at::Tensor unit(const at::Tensor& x) {
  return x.mul(x.square().sum(-1, /*keepdim=*/true).add(1e-6).rsqrt());
}

/// A gated delta rule over [b, S, heads, width]: the state [b, heads, width, width] decays, and is
/// updated with the error of its prediction for the key.
Tensors gdn_recurrent(const KernelCall& call) {
  const at::Tensor query = call.tensor("query");
  require_dtype(query, {at::kHalf});
  if (query.dim() != 4) fail(cat("the queries have rank ", query.dim(), ", not 4"));
  const int64_t width = query.size(3);
  const auto checked = [&](const char* name, const Ints& shape) {
    const at::Tensor x = call.tensor(name);
    require_shape(x, shape);
    return x.to(at::kFloat);
  };
  const Ints shape = query.sizes().vec(), gate_shape{shape[0], shape[1], shape[2]};
  const at::Tensor q = unit(query.to(at::kFloat)), k = unit(checked("key", shape));
  const at::Tensor v = checked("value", shape), decay = checked("log_decay", gate_shape).exp();
  const at::Tensor beta = checked("beta", gate_shape);
  at::Tensor state = checked("initial_state", {shape[0], shape[2], width, width});
  Tensors out;
  for (int64_t i = 0; i < shape[1]; ++i) {
    const at::Tensor key = k.select(1, i).unsqueeze(-2);
    state = state.mul(decay.select(1, i).unsqueeze(-1).unsqueeze(-1));
    const at::Tensor error = v.select(1, i).unsqueeze(-2).sub(key.matmul(state));
    const at::Tensor update = error.mul(beta.select(1, i).unsqueeze(-1).unsqueeze(-1));
    state = state.add(key.transpose(-2, -1).matmul(update));
    out.push_back(q.select(1, i).unsqueeze(-2).matmul(state).squeeze(-2));
  }
  const double scale = std::sqrt(static_cast<double>(width));
  return {at::stack(out, 1).div(scale).to(at::kHalf), state};
}

}  // namespace

void register_tract_models(Kernels& kernels) {
  kernels.add("tract_moe_ffn", moe_ffn);
  for (const std::string family : {"tract_transformers_", "tract_qwen35_"}) {
    kernels.add(family + "causal_conv1d_update", causal_conv1d_update);
    kernels.add(family + "gdn_recurrent", gdn_recurrent);
  }
}

}  // namespace t2n::interp
