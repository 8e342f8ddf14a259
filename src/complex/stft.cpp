// SPDX-License-Identifier: Apache-2.0
// Short-time Fourier transforms: frames become t2n::stft; the inverse overlaps and adds.
#include <algorithm>
#include <cmath>

#include "src/complex/rules.h"
#include "src/diag/error.h"

namespace t2n::complex {
namespace {

/// The arguments of both directions.
struct Frames {
  int64_t size;
  int64_t hop;
  int64_t window_size;
  DType dtype;
};

Frames read_frames(const PairBuilder& b) {
  const int64_t size = b.integer("n_fft", 0);
  const DType dtype = b.dtype(b.tensor("self"));
  return {size, b.integer("hop_length", size / 4), b.integer("win_length", size),
          dtype == DType::f64 ? DType::f64 : DType::f32};
}

/// The window centred in a frame, with zeros around it; kNoValue if it is all ones.
ValueId read_window(PairBuilder& b, const Frames& f) {
  ValueId window = b.tensor("window");
  if (window == ir::kNoValue) {
    if (f.window_size == f.size) return window;
    window = b.expand(b.number(1, f.dtype), {f.window_size});
  }
  const int64_t before = (f.size - f.window_size) / 2;
  return b.pad(b.cast(window, f.dtype), 0, before, f.size - f.window_size - before);
}

/// [B, T] with `amount` more at each end.
ValueId extended(PairBuilder& b, ValueId x, int64_t amount, const std::string& mode) {
  if (amount == 0) return x;
  if (mode == "constant") return b.pad(x, 1, amount, amount);
  Shape shape = b.shape(b.unsqueeze(x, 1));
  shape[2] = shape[2] + Dim(2 * amount);
  const ValueId y = b.emit("aten::pad",
                           {{"self", TensorRef{b.unsqueeze(x, 1)}},
                            {"pad", std::vector<Dim>{amount, amount}},
                            {"mode", mode},
                            {"value", ir::None{}}},
                           b.dtype(x), shape);
  return b.select(y, 1, 0);
}

struct Spectrum {
  ValueId window;
  bool onesided;
  double scale;
};

/// [B, T] -> [B, K, frames, 2]
ValueId transformed(PairBuilder& b, ValueId x, const Frames& f, const Spectrum& to) {
  const Dim count = floor_div(b.shape(x)[1] - Dim(f.size), Dim(f.hop)) + Dim(1);
  const int64_t bins = to.onesided ? f.size / 2 + 1 : f.size;
  const ir::Attr window = to.window == ir::kNoValue ? ir::Attr(ir::None{}) : TensorRef{to.window};
  return b.emit("t2n::stft",
                {{"self", TensorRef{x}},
                 {"window", window},
                 {"n_fft", Dim(f.size)},
                 {"hop_length", Dim(f.hop)},
                 {"onesided", to.onesided},
                 {"scale", to.scale}},
                f.dtype, {b.shape(x)[0], bins, count, 2});
}

/// The transform is linear: complex signals and windows are transformed part by part.
ValueId transformed(PairBuilder& b, const Complex& x, const Frames& f, const Spectrum& to) {
  const ValueId re = transformed(b, x.re, f, to);
  if (x.is_real()) return re;
  const Complex a = b.parts(re), c = b.parts(transformed(b, x.im, f, to));
  Shape shape = b.shape(re);
  shape.pop_back();
  return b.pairs(
      {b.binary("aten::sub.Tensor", a.re, c.im), b.binary("aten::add.Tensor", a.im, c.re)}, shape);
}

/// The number of entries added at each end before the signal is cut into frames.
int64_t margin(const PairBuilder& b, const Frames& f) {
  const auto is_on = [&](std::string_view name) { return b.has(name) && b.flag(name, false); };
  if (is_on("center")) return f.size / 2;
  return is_on("align_to_window") ? (f.size - f.window_size) / 2 : 0;
}

void stft_rule(PairBuilder& b) {
  if (b.is_complex_tensor("window"))
    return b.refuse("the window is complex", "multiply the frames by hand");
  const Frames f = read_frames(b);
  const bool is_complex = b.is_complex_tensor("self");
  Complex x{b.cast(b.tensor("self"), f.dtype)};
  if (is_complex) x = b.parts(x.re);
  const bool is_single = b.rank(x.re) == 1;
  for (ValueId* part : {&x.re, &x.im}) {
    if (*part == ir::kNoValue) continue;
    if (is_single) *part = b.unsqueeze(*part, 0);
    *part = extended(b, *part, margin(b, f),
                     b.has("pad_mode") ? b.text("pad_mode", "reflect") : "reflect");
  }
  const double scale = b.flag("normalized", false) ? 1 / std::sqrt(static_cast<double>(f.size)) : 1;
  const ValueId y =
      transformed(b, x, f, {read_window(b, f), b.flag("onesided", !is_complex), scale});
  b.define(is_single ? b.select(y, 0, 0) : y);
}

/// Frames [B, count, size], `hop` apart, overlapped and added: [B, size + hop * (count - 1)]. Each
/// frame is cut into pieces of `hop`; the k-th pieces of all frames do not overlap one another.
ValueId overlapped(PairBuilder& b, ValueId frames, const Frames& f) {
  const Dim batch = b.shape(frames)[0], count = b.shape(frames)[1];
  const int64_t pieces = (f.size + f.hop - 1) / f.hop;
  const ValueId padded = b.pad(frames, 2, 0, pieces * f.hop - f.size);
  const ValueId cut = b.reshape(padded, {batch, count, pieces, f.hop});
  ValueId sum = ir::kNoValue;
  for (int64_t i = 0; i < pieces; ++i) {
    const ValueId row = b.pad(b.select(cut, 2, i), 1, i, pieces - 1 - i);
    sum = sum == ir::kNoValue ? row : b.binary("aten::add.Tensor", sum, row);
  }
  const Dim rows = count + Dim(pieces - 1);
  const Dim length = Dim(f.size) + Dim(f.hop) * (count - Dim(1));
  return b.slice(b.reshape(sum, {batch, rows * Dim(f.hop)}), 1, 0, length);
}

/// The sum of squared windows under each entry.
ValueId envelope(PairBuilder& b, ValueId window, const Dim& count, const Frames& f) {
  const ValueId values = window == ir::kNoValue ? b.expand(b.number(1, f.dtype), {f.size}) : window;
  const ValueId squared = b.binary("aten::mul.Tensor", values, values);
  return overlapped(b, b.expand(squared, {1, count, f.size}), f);
}

/// Pairs [B, K, frames, 2] -> the signals of the frames, each [B, frames, size].
Complex frame_signals(PairBuilder& b, ValueId spectrum, const Frames& f, bool onesided) {
  const double n = static_cast<double>(f.size);
  const double scale = b.flag("normalized", false) ? 1 / std::sqrt(n) : 1 / n;
  ValueId x = b.permute(spectrum, {0, 2, 1, 3});
  if (b.flag("return_complex", false))
    return b.parts(
        b.emit("t2n::fft_c2c",
               {{"self", TensorRef{x}}, {"dim", Dim(2)}, {"inverse", true}, {"scale", scale}},
               f.dtype, b.shape(x)));
  if (!onesided) x = b.slice(x, 2, 0, f.size / 2 + 1);
  const Shape shape = {b.shape(x)[0], b.shape(x)[1], f.size};
  return {b.emit("t2n::fft_c2r",
                 {{"self", TensorRef{x}},
                  {"dim", Dim(2)},
                  {"n", Dim(f.size)},
                  {"inverse", true},
                  {"scale", scale}},
                 f.dtype, shape)};
}

/// Overlaps the frames, divides by the windows, and cuts off the ends.
ValueId signal_of(PairBuilder& b, ValueId frames, ValueId window, const Frames& f) {
  const Dim count = b.shape(frames)[1];
  if (window != ir::kNoValue) frames = b.binary("aten::mul.Tensor", frames, window);
  ValueId y = overlapped(b, frames, f);
  const Dim length = b.shape(y)[1];
  const bool center = b.flag("center", true);
  const Dim begin = center ? f.size / 2 : 0;
  const bool has_length = !b.is_none("length");
  const Dim requested_end = has_length ? begin + b.dims("length").at(0)
                            : center   ? length - Dim(f.size / 2)
                                       : length;
  const bool is_inside = b.proves({requested_end, ir::Relation::le, length});
  const Dim end = is_inside ? requested_end : length;
  y = b.binary("aten::div.Tensor", b.slice(y, 1, begin, end),
               b.slice(envelope(b, window, count, f), 1, begin, end));
  if (is_inside) return y;
  if (b.proves({requested_end, ir::Relation::ge, length}))
    return b.with_zeros(y, 1, requested_end - length);
  return b.slice(b.with_zeros(y, 1, requested_end - begin), 1, 0, requested_end - begin);
}

void istft_rule(PairBuilder& b) {
  constexpr int64_t kMostPieces = 256;
  if (b.is_complex_tensor("window"))
    return b.refuse("the window is complex", "multiply the frames by hand");
  const Frames f = read_frames(b);
  if (f.size > kMostPieces * f.hop)
    return b.refuse(cat("more than ", kMostPieces, " frames overlap at each entry"),
                    "use a larger hop_length");
  ValueId x = b.tensor("self");
  const bool is_single = b.rank(x) == 3;
  if (is_single) x = b.unsqueeze(x, 0);
  const bool onesided = b.flag("onesided", b.shape(x)[1] != Dim(f.size));
  const ValueId window = read_window(b, f);
  const Complex frames = frame_signals(b, x, f, onesided);
  const auto finished = [&](ValueId part) {
    const ValueId y = signal_of(b, part, window, f);
    return is_single ? b.select(y, 0, 0) : y;
  };
  if (frames.is_real()) return b.define(finished(frames.re));
  const ValueId re = finished(frames.re);
  b.define(Complex{re, finished(frames.im)});
}

const PairRules& stft_table() {
  static const PairRules table = {{"istft", istft_rule}, {"stft", stft_rule}};
  return table;
}

}  // namespace

PairRule find_stft_rule(std::string_view name) { return rule_in(stft_table(), name); }

}  // namespace t2n::complex
