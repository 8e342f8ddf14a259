// SPDX-License-Identifier: Apache-2.0
// tract's fused recurrent cells. Gates: i, o, f, c in LSTM and z, r, h in GRU, as in ONNX.
#include <ATen/Functions.h>

#include "src/interp/kernel.h"
#include "src/interp/kernels.h"
#include "src/interp/tract_support.h"

namespace t2n::interp {
namespace {

/// The gates of the last axis. Errors: `engine-failed` if it is not `count` times `hidden`.
Tensors gates(const at::Tensor& x, int64_t count, int64_t hidden) {
  if (x.dim() == 0 || x.size(-1) != count * hidden)
    fail(cat(shape_text(x.sizes()), " does not end in ", count, " gates of ", hidden));
  return x.chunk(count, -1);
}

Tensors lstm_epilogue(const KernelCall& call) {
  const at::Tensor preact = half_or_float(call, "preact"), previous = call.tensor("c_prev");
  const Tensors gate = gates(preact.to(at::kFloat), 4, call.i64("hidden"));
  const at::Tensor c = gate[2].sigmoid().mul(previous).add(gate[0].sigmoid().mul(gate[3].tanh()));
  const at::Tensor h = gate[1].sigmoid().mul(c.tanh());
  return {h.to(previous.dtype()), c.to(previous.dtype())};
}

at::Tensor gru_step(const at::Tensor& xh, const at::Tensor& rh, const at::Tensor& previous,
                    int64_t hidden) {
  const Tensors x = gates(xh, 3, hidden), r = gates(rh, 3, hidden);
  const at::Tensor update = x[0].add(r[0]).sigmoid(), reset = x[1].add(r[1]).sigmoid();
  const at::Tensor candidate = x[2].add(reset.mul(r[2])).tanh();
  return candidate.add(update.mul(previous.sub(candidate)));
}

Tensors gru_epilogue(const KernelCall& call) {
  const at::Tensor xh = half_or_float(call, "xh"), rh = half_or_float(call, "rh");
  const at::Tensor previous = half_or_float(call, "h_prev");
  const at::Tensor h =
      gru_step(xh.to(at::kFloat), rh.to(at::kFloat), previous.to(at::kFloat), call.i64("hidden"));
  return {h.to(previous.dtype())};
}

/// A complete sequence [B,T,I]; biases of the input, then of the state.
Tensors gru_seq(const KernelCall& call) {
  const int64_t hidden = call.i64("hidden"), chunk = call.i64("chunk");
  const bool has_bias = call.i64("has_bias") != 0;
  const at::Tensor x = call.tensor("x"), w = call.tensor("w"), r = call.tensor("r");
  at::Tensor input = x.matmul(w.t());
  const at::Tensor bias = has_bias ? call.tensor("b").flatten() : at::zeros({6 * hidden});
  input = input.add(bias.narrow(0, 0, 3 * hidden));
  const at::Tensor state_bias = bias.narrow(0, 3 * hidden, 3 * hidden);
  if (chunk != 1 && chunk != -1) fail(cat("the chunk is ", chunk, ", not 1 or -1"));
  at::Tensor& kept = call.memory("h");
  at::Tensor h = kept.defined() && call.i64("reset_every_turn") == 0
                     ? kept
                     : call.tensor("initial_h").select(1, 0);
  const int64_t length = x.size(1);
  Tensors states(static_cast<size_t>(length));
  for (int64_t i = 0; i < length; ++i) {
    const int64_t step = chunk > 0 ? i : length - 1 - i;
    h = gru_step(input.select(1, step), h.matmul(r.t()).add(state_bias), h, hidden);
    states[step] = h;
  }
  kept = h;
  return {at::stack(states, 1), h.unsqueeze(1)};
}

}  // namespace

void register_tract_rnn(Kernels& kernels) {
  kernels.add("tract_core_lstm_epilogue", lstm_epilogue);
  kernels.add("tract_core_gru_epilogue", gru_epilogue);
  kernels.add("tract_core_gru_seq", gru_seq);
}

}  // namespace t2n::interp
