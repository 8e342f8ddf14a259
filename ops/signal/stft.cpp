// SPDX-License-Identifier: Apache-2.0
// Short-time Fourier transforms of real signals, in the form that `complex-to-pairs` gives them.
#include <optional>

#include "ops/signal/dft.h"
#include "ops/signal/families.h"
#include "ops/structure/product.h"
#include "src/translate/arith.h"
#include "src/translate/registry.h"
#include "src/translate/sizes.h"

namespace t2n::ops {
namespace {

struct Stft {
  Ref x;                      ///< [B, T]
  std::optional<Ref> window;  ///< [n]
  int64_t hop;
  int64_t bins;
  Dft dft;
};

Stft read_stft(const OpView& op) {
  Stft s;
  s.x = op.tensor("self");
  s.window = op.opt_tensor("window");
  s.hop = op.i64("hop_length");
  s.dft = {op.i64("n_fft"), false, op.f64("scale")};
  s.bins = op.boolean("onesided") ? s.dft.n / 2 + 1 : s.dft.n;
  return s;
}

/// The values of the window; none if it is all ones.
std::optional<std::vector<double>> known_window(const Emitter& out, const Stft& s) {
  if (!s.window) return std::vector<double>();
  const auto values = out.constant_value(*s.window);
  return values ? std::optional(ir::to_f64(*values)) : std::nullopt;
}

/// Filters that contain the window if it is known; otherwise it is multiplied.
Ref filters(Emitter& out, const Stft& s) {
  const DType dtype = out.dtype(s.x);
  if (const auto window = known_window(out, s))
    return windowed_dft(out, s.dft, s.bins, *window, dtype);
  return mul(out, windowed_dft(out, s.dft, s.bins, {}, dtype), out.unsqueeze(*s.window, {0, 1}));
}

/// One convolution: each bin is a filter that moves by `hop`.
Ref by_convolution(const OpView& op, Emitter& out, const Stft& s) {
  const Shape& shape = op.shape();
  const Ref rows = out.unsqueeze(s.x, {1});
  const Attributes attributes = {{"border", "constant"},
                                 {"padding", std::vector<std::pair<int64_t, int64_t>>{{0, 0}}},
                                 {"stride", Ints{s.hop}},
                                 {"dilation", Ints{1}},
                                 {"groups", int64_t{1}}};
  const Ref y = out.call("conv", {rows, filters(out, s)}, attributes, out.dtype(s.x),
                         {shape[0], s.bins * 2, shape[2]});
  const Ref pairs = out.reshape(y, {shape[0], s.bins, 2, shape[2]});
  return out.transpose(pairs, {0, 1, 3, 2});
}

/// tract's own operation; the window must be a constant of the signal's dtype.
Ref by_stft(const OpView& op, Emitter& out, const Stft& s) {
  Attributes attributes = {{"axis", int64_t{1}}, {"frame", s.dft.n}, {"stride", s.hop}};
  if (s.window) attributes.emplace_back("window", out.operand(*s.window));
  const Shape& shape = op.shape();
  const Ref y = out.call("tract_core_stft", {with_zero_imaginary(out, s.x)}, attributes,
                         out.dtype(s.x), {shape[0], shape[2], s.dft.n, 2});
  return scaled(out, out.transpose(out.slice(y, 2, 0, s.bins), {0, 2, 1, 3}), s.dft.scale);
}

void stft(const OpView& op, Emitter& out) {
  const Stft s = read_stft(op);
  const bool is_small = s.dft.n * s.bins * 2 <= kMostDftEntries;
  const bool is_convolved = is_small || !known_window(out, s);
  out.result(is_convolved ? by_convolution(op, out, s) : by_stft(op, out, s));
}

Shapes stft_pairs_shapes(const ShapeView& op) {
  const Shape& x = op.shape("self");
  const Dim n = op.dim("n_fft");
  const Dim frames = floor_div(x.at(1) - n, op.dim("hop_length")) + 1;
  return {{x.at(0), op.boolean("onesided") ? half_spectrum(n) : n, frames, 2}};
}

}  // namespace

void register_stft(Registry& r) {
  r.same({"t2n::stft"},
         {"conv", "scale * the Fourier transforms of windowed frames, hop_length apart, as pairs",
          stft});
  r.shapes(stft_pairs_shapes, "t2n::stft");
}

}  // namespace t2n::ops
