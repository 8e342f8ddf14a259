// SPDX-License-Identifier: Apache-2.0
// Windows of signal processing, and frequencies of transforms, of symbolic length; those of a known
// length are folded.
#include <cmath>
#include <functional>
#include <numbers>

#include "ops/pointwise/special.h"
#include "ops/signal/families.h"
#include "src/translate/arith.h"
#include "src/translate/registry.h"
#include "src/translate/sizes.h"

namespace t2n::ops {
namespace {

/// i / (n - 1) for the entries i of a window of n, or i / n if it is periodic.
Ref shares(Emitter& out, const Dim& length, bool is_periodic, DType dtype) {
  const Dim last = is_periodic ? length : length - Dim(1);
  const Dim by = may_be_zero(out, last) ? max(last, Dim(1)) : last;
  return div(out, out.cast(iota(out, length, 0, 1), dtype), out.size(by, dtype));
}

/// A window of one entry is 1.
void window(const OpView& op, Emitter& out, const std::function<Ref(Ref share)>& shape) {
  ignore_present(op, {"dtype", "layout", "device", "pin_memory"}, "the result shows its dtype");
  const Dim length = op.dim("window_length");
  const bool is_periodic = !op.has_argument("periodic") || op.boolean("periodic");
  const DType dtype = out.has(Feature::computes_f64) ? DType::f64 : DType::f32;
  const Ref y = shape(shares(out, length, is_periodic, dtype));
  const Ref is_one = compare(out, "eq", out.size(length, DType::i64), out.scalar(1, DType::i64));
  finish(op, out, select(out, is_one, like(out, 1, y), y));
}

Ref cosine(Emitter& out, Ref share, double turns) {
  return out.elementwise("cos", {times(out, share, 2 * std::numbers::pi * turns)});
}

/// alpha - beta * cos(2 pi share)
void raised_cosine(const OpView& op, Emitter& out, double alpha, double beta) {
  window(op, out,
         [&](Ref share) { return plus(out, times(out, cosine(out, share, 1), -beta), alpha); });
}

void hann_window(const OpView& op, Emitter& out) { raised_cosine(op, out, 0.5, 0.5); }

void hamming_window(const OpView& op, Emitter& out) {
  raised_cosine(op, out, op.has_argument("alpha") ? op.f64("alpha") : 0.54,
                op.has_argument("beta") ? op.f64("beta") : 0.46);
}

void blackman_window(const OpView& op, Emitter& out) {
  window(op, out, [&](Ref share) {
    const Ref slow = times(out, cosine(out, share, 1), -0.5);
    return plus(out, add(out, slow, times(out, cosine(out, share, 2), 0.08)), 0.42);
  });
}

/// 1 - |2 share - 1|
void bartlett_window(const OpView& op, Emitter& out) {
  window(op, out, [&](Ref share) {
    return minus_from(out, 1, magnitude(out, plus(out, times(out, share, 2), -1)));
  });
}

/// I0(beta sqrt(1 - (2 share - 1)^2)) / I0(beta)
void kaiser_window(const OpView& op, Emitter& out) {
  const double beta = op.has_argument("beta") ? op.f64("beta") : 12;
  window(op, out, [&](Ref share) {
    const Ref position = plus(out, times(out, share, 2), -1);
    const Ref rest = minus_from(out, 1, mul(out, position, position));
    const Ref inside = maximum(out, rest, like(out, 0, rest));
    const Ref top = modified_bessel_i0(out, times(out, out.elementwise("sqrt", {inside}), beta));
    return times(out, top, 1 / std::cyl_bessel_i(0, beta));
  });
}

/// The frequencies of a transform's entries, over n * d. Entries beyond the middle are negative.
void frequencies(const OpView& op, Emitter& out) {
  ignore_present(op, {"dtype", "layout", "device", "pin_memory"}, "the result shows its dtype");
  const Dim n = op.dim("n");
  const DType dtype = out.has(Feature::computes_f64) ? DType::f64 : DType::f32;
  Ref k = iota(out, op.shape()[0], 0, 1);
  if (op.shape()[0] == n) {
    const Ref from_end = sub(out, k, out.size(n, DType::i64));
    k = select(out, compare(out, "lt", add(out, k, from_end), out.scalar(0, DType::i64)), k,
               from_end);
  }
  const Ref by = times(out, out.size(n, dtype), op.f64("d"));
  finish(op, out, div(out, out.cast(k, dtype), by));
}

Shapes window_shapes(const ShapeView& op) { return {{op.dim("window_length")}}; }

Shapes frequencies_shapes(const ShapeView& op) { return {{op.dim("n")}}; }
Shapes half_frequencies_shapes(const ShapeView& op) { return {{floor_div(op.dim("n"), 2) + 1}}; }

}  // namespace

void register_windows(Registry& r) {
  r.same({"aten::fft_fftfreq", "aten::fft_rfftfreq"},
         {"div", "k / (n * d), from the middle on of fftfreq (k - n) / (n * d)", frequencies});
  r.same({"aten::hann_window", "aten::hann_window.periodic"},
         {"cos", "(1 - cos(2 pi i / n)) / 2", hann_window});
  r.same({"aten::hamming_window", "aten::hamming_window.periodic",
          "aten::hamming_window.periodic_alpha", "aten::hamming_window.periodic_alpha_beta"},
         {"cos", "alpha - beta * cos(2 pi i / n)", hamming_window});
  r.same({"aten::blackman_window", "aten::blackman_window.periodic"},
         {"cos", "0.42 - cos(2 pi i / n) / 2 + 0.08 cos(4 pi i / n)", blackman_window});
  r.same({"aten::bartlett_window", "aten::bartlett_window.periodic"},
         {"abs", "1 - |2 i / n - 1|", bartlett_window});
  r.same({"aten::kaiser_window", "aten::kaiser_window.periodic", "aten::kaiser_window.beta"},
         {"sqrt", "I0(beta sqrt(1 - (2 i / n - 1)^2)) / I0(beta)", kaiser_window});
  r.shapes(window_shapes,
           "bartlett_window blackman_window hamming_window hann_window kaiser_window");
  r.shapes(frequencies_shapes, "fft_fftfreq");
  r.shapes(half_frequencies_shapes, "fft_rfftfreq");
}

}  // namespace t2n::ops
