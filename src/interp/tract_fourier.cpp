// SPDX-License-Identifier: Apache-2.0
// Fourier transforms of pairs: the last axis holds real and imaginary parts.
#include <ATen/Functions.h>

#include "src/interp/kernel.h"
#include "src/interp/kernels.h"
#include "src/interp/tract_support.h"

namespace t2n::interp {
namespace {

at::Tensor pairs(const KernelCall& call) {
  at::Tensor out = call.tensor("input");
  require_dtype(out, {at::kHalf, at::kFloat, at::kDouble});
  if (out.dim() < 2 || out.size(-1) != 2)
    fail(cat("the last axis of ", shape_text(out.sizes()), " is not a pair"));
  return out;
}

/// Not divided by the length in either direction.
at::Tensor transform(const at::Tensor& x, int64_t axis, bool inverse) {
  const at::Tensor complex = at::view_as_complex(x.contiguous());
  return at::view_as_real(at::_fft_c2c(complex, axis, /*normalization=*/0, !inverse)).contiguous();
}

Tensors fft(const KernelCall& call) {
  const at::Tensor input = pairs(call);
  const int64_t axis = axis_of(call, "axis", input.dim() - 1);
  const bool inverse = call.boolean("inverse");
  return {through_float(input, [&](const at::Tensor& x) { return transform(x, axis, inverse); })};
}

/// The window centred in a frame, with zeros around it.
at::Tensor padded_window(const KernelCall& call, int64_t frame) {
  const at::Tensor window = call.tensor("window");
  const int64_t size = window.numel(), left = (frame - size) / 2;
  return at::constant_pad_nd(window.reshape({size}), {left, frame - size - left});
}

/// Frames replace `axis`, followed by their frequencies.
Tensors stft(const KernelCall& call) {
  const at::Tensor input = pairs(call);
  const int64_t axis = axis_of(call, "axis", input.dim() - 1);
  const int64_t frame = call.i64("frame"), stride = call.i64("stride");
  return {through_float(input, [&](const at::Tensor& x) {
    at::Tensor frames = x.unfold(axis, frame, stride).movedim(-1, axis + 1);
    if (call.has("window")) {
      Ints along(static_cast<size_t>(frames.dim()), 1);
      along[axis + 1] = frame;
      frames = frames.mul(padded_window(call, frame).to(x.scalar_type()).reshape(along));
    }
    return transform(frames, axis + 1, /*inverse=*/false);
  })};
}

}  // namespace

void register_tract_fourier(Kernels& kernels) {
  kernels.add("tract_core_fft", fft);
  kernels.add("tract_core_stft", stft);
}

}  // namespace t2n::interp
