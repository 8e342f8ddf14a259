// SPDX-License-Identifier: Apache-2.0
// Upsampling along spatial axes: every output entry is a weighted sum of a few input entries.
#include "ops/layers/resize.h"

#include <algorithm>
#include <cmath>

#include "ir/fraction.h"
#include "ops/layers/families.h"
#include "ops/pointwise/special.h"
#include "ops/structure/positions.h"
#include "ops/structure/spatial.h"
#include "src/translate/arith.h"
#include "src/translate/registry.h"
#include "src/translate/sizes.h"
#include "src/translate/streamed.h"

namespace t2n::ops {
namespace {

/// One axis: entry i of the result is the sum over k of weights[k][i] * input[entries[k][i]].
struct Taps {
  std::vector<std::vector<int64_t>> entries;
  std::vector<std::vector<double>> weights;
};

/// torch's rounding to f32 must be repeated, because the floor depends on it.
double rounded_unless_f64(double x, DType dtype) {
  return dtype == DType::f64 ? x : static_cast<double>(static_cast<float>(x));
}

Taps nearest_taps(const ResizedAxis& a, DType dtype) {
  // torch's kernel for few pixels has no f64.
  const double step =
      rounded_unless_f64(a.step(), a.exact == ExactSizes::none ? dtype : DType::f32);
  std::vector<int64_t> entries;
  for (int64_t i = 0; i < a.out; ++i) {
    const double at = rounded_unless_f64(static_cast<double>(i) * step, DType::f32);
    entries.push_back(std::min(static_cast<int64_t>(std::floor(at)), a.in - 1));
  }
  return {{entries}, {}};
}

Taps nearest_exact_taps(const ResizedAxis& a, DType dtype) {
  const double step = rounded_unless_f64(a.step(), dtype);
  std::vector<int64_t> entries;
  for (int64_t i = 0; i < a.out; ++i) {
    const double source = rounded_unless_f64(step * (static_cast<double>(i) + 0.5) - 0.5, dtype);
    const double at = rounded_unless_f64(std::max(source, 0.0) + 0.5, DType::f32);
    entries.push_back(std::min(static_cast<int64_t>(std::floor(at)), a.in - 1));
  }
  return {{entries}, {}};
}

Taps taps_of_width(size_t width) {
  return {std::vector<std::vector<int64_t>>(width), std::vector<std::vector<double>>(width)};
}

Taps linear_taps(const ResizedAxis& a, DType) {
  Taps taps = taps_of_width(2);
  for (int64_t i = 0; i < a.out; ++i) {
    const double at = std::max(a.source(i), 0.0);
    const int64_t low = std::min(static_cast<int64_t>(at), a.in - 1);
    const double weight = std::clamp(at - static_cast<double>(low), 0.0, 1.0);
    taps.entries[0].push_back(low);
    taps.entries[1].push_back(std::min(low + 1, a.in - 1));
    taps.weights[0].push_back(1 - weight);
    taps.weights[1].push_back(weight);
  }
  return taps;
}

Taps cubic_taps(const ResizedAxis& a, DType) {
  Taps taps = taps_of_width(4);
  for (int64_t i = 0; i < a.out; ++i) {
    const double at = a.source(i);
    const int64_t low = std::min(static_cast<int64_t>(std::floor(at)), a.in - 1);
    const double fraction = std::clamp(at - static_cast<double>(low), 0.0, 1.0);
    for (int64_t k = 0; k < 4; ++k) {
      const size_t tap = k;
      taps.entries[tap].push_back(std::clamp<int64_t>(low - 1 + k, 0, a.in - 1));
      taps.weights[tap].push_back(cubic_weight(fraction + 1 - static_cast<double>(k), -0.75));
    }
  }
  return taps;
}

bool is_identity(const Taps& taps, int64_t in) {
  const auto& entries = taps.entries[0];
  for (size_t i = 0; i < entries.size(); ++i)
    if (entries[i] != static_cast<int64_t>(i)) return false;
  const bool is_sole =
      taps.weights.empty() || std::all_of(taps.weights[0].begin(), taps.weights[0].end(),
                                          [](double weight) { return weight == 1; });
  return is_sole && static_cast<int64_t>(entries.size()) == in;
}

Ref weighted_along(Emitter& out, Ref x, int axis, const std::vector<double>& weights) {
  Ints shape(out.shape(x).size(), 1);
  shape[axis] = static_cast<int64_t>(weights.size());
  return mul(out, x, out.constant(ir::tensor_of(out.dtype(x), shape, weights), "weights"));
}

Ref sampled_along(Emitter& out, Ref x, int axis, const Taps& taps) {
  if (is_identity(taps, known_size(out, x, axis))) return x;
  if (taps.weights.empty()) return take(out, x, taps.entries[0], axis);
  std::optional<Ref> sum;
  for (size_t k = 0; k < taps.entries.size(); ++k) {
    const Ref part =
        weighted_along(out, take(out, x, taps.entries[k], axis), axis, taps.weights[k]);
    sum = sum ? add(out, *sum, part) : part;
  }
  return *sum;
}

/// Entries up to the last one, as integers.
Ref as_entries(Emitter& out, Ref at, const Dim& size) {
  const Ref entry = out.cast(out.elementwise("floor", {at}), DType::i64);
  return minimum(out, entry, out.size(size - Dim(1), DType::i64));
}

Ref symbolic_nearest(Emitter& out, Ref x, int axis, const SymbolicAxis& a) {
  if (const auto y = enlarge_streamed(out, x, axis, a.out, a.scale)) return *y;
  const DType dtype = DType::f32;
  const Ref indices = out.cast(out.range(a.out), dtype);
  return take(out, x, as_entries(out, mul(out, indices, symbolic_step(out, a, dtype)), a.in), axis);
}

Ref symbolic_nearest_exact(Emitter& out, Ref x, int axis, const SymbolicAxis& a) {
  const DType dtype = DType::f32;
  const Ref indices = plus(out, out.cast(out.range(a.out), dtype), 0.5);
  const Ref at = plus(out, mul(out, indices, symbolic_step(out, a, dtype)), -0.5);
  const Ref rounded_at = plus(out, maximum(out, at, like(out, 0, at)), 0.5);
  return take(out, x, as_entries(out, rounded_at, a.in), axis);
}

/// The positions of output entries among the input's.
Ref symbolic_source(Emitter& out, const SymbolicAxis& a, DType dtype) {
  const Ref indices = out.cast(out.range(a.out), dtype);
  const Ref step = symbolic_step(out, a, dtype);
  if (a.align_corners) return mul(out, indices, step);
  return plus(out, mul(out, plus(out, indices, 0.5), step), -0.5);
}

/// A weight per output entry, shaped to broadcast with `x`.
Ref along(Emitter& out, Ref weights, Ref x, int axis) {
  Shape shape(out.shape(x).size(), Dim(1));
  shape[axis] = out.shape(weights)[0];
  return out.reshape(weights, shape);
}

Ref symbolic_linear(Emitter& out, Ref x, int axis, const SymbolicAxis& a) {
  x = widened(out, x);
  const DType dtype = out.dtype(x);
  const Ref at = maximum(out, symbolic_source(out, a, dtype), out.scalar(0.0, dtype));
  const Ref low = as_entries(out, at, a.in);
  const Ref high = minimum(out, plus(out, low, 1), out.size(a.in - Dim(1), DType::i64));
  const Ref weight = sub(out, at, out.cast(low, dtype));
  const Ref below = take(out, x, low, axis);
  const Ref rise = sub(out, take(out, x, high, axis), below);
  return add(out, below, mul(out, rise, along(out, weight, x, axis)));
}

Ref symbolic_cubic(Emitter& out, Ref x, int axis, const SymbolicAxis& a) {
  x = widened(out, x);
  const DType dtype = out.dtype(x);
  const Ref at = symbolic_source(out, a, dtype);
  const Ref low = out.elementwise("floor", {at});
  const Ref first = out.cast(low, DType::i64);
  const Ref last = out.size(a.in - Dim(1), DType::i64), none = out.scalar(0, DType::i64);
  const std::vector<Ref> weights = cubic_weights(out, sub(out, at, low));
  std::optional<Ref> sum;
  for (size_t k = 0; k < weights.size(); ++k) {
    const Ref entry = plus(out, first, static_cast<double>(k) - 1);
    const Ref near = maximum(out, minimum(out, entry, last), none);
    const Ref part = mul(out, take(out, x, near, axis), along(out, weights[k], x, axis));
    sum = sum ? add(out, *sum, part) : part;
  }
  return *sum;
}

/// Starts with the last axis: later ones then move entire rows.
template <Taps (*kTaps)(const ResizedAxis&, DType), SymbolicSample kSymbolic>
void upsample_nearest(const OpView& op, Emitter& out) {
  if (const auto y = symbolic_resized(op, out, kSymbolic)) return out.result(*y);
  const Resizing r = read_resizing(op, out);
  Ref y = r.x;
  for (size_t i = r.axes.size(); i-- > 0;)
    y = sampled_along(out, y, static_cast<int>(i) + 2, kTaps(r.axes[i], out.dtype(r.x)));
  out.result(y);
}

template <Taps (*kTaps)(const ResizedAxis&, DType), SymbolicSample kSymbolic>
void upsample(const OpView& op, Emitter& out) {
  check_float(op, out, sampled_tensor(op));
  if (const auto y = symbolic_resized(op, out, kSymbolic)) return finish(op, out, *y);
  const Resizing r = read_resizing(op, out);
  Ref y = widened(out, r.x);
  for (size_t i = r.axes.size(); i-- > 0;)
    y = sampled_along(out, y, static_cast<int>(i) + 2, kTaps(r.axes[i], out.dtype(y)));
  out.result(out.cast(y, op.dtype()));
}

constexpr std::string_view kFloats = "integer tensors are refused";

/// floor(size * factor), in integers if that is the same for all sizes.
Dim resized_size(const ShapeView& op, const Dim& size, double factor) {
  if (size.is_constant())
    return static_cast<int64_t>(std::floor(static_cast<double>(size.value()) * factor));
  constexpr int64_t kParts = 1024;
  constexpr int kMantissa = 53;
  const double parts = factor * static_cast<double>(kParts);
  if (std::trunc(parts) == parts && parts <= 1e9)
    return floor_div(static_cast<int64_t>(parts) * size, kParts);
  const auto fraction = ir::simplest_fraction(factor, kMantissa);
  if (!fraction) op.unknown("the factor is not a simple fraction");
  if (fraction->skew < 0)
    op.unknown(cat("floats round size * ", factor,
                   " down to below the integer at some sizes, "
                   "where size * ",
                   fraction->number, " // ", fraction->divisor, " does not"));
  return floor_div(fraction->number * size, fraction->divisor);
}

}  // namespace

Shapes upsample_shapes(const ShapeView& op) {
  const Shape& x = op.first();
  const size_t rank = x.size() - 2;
  Shape out = all_but_last(x, rank);
  if (op.has("output_size")) {
    for (const Dim& size : op.dims("output_size", rank, 1)) out.push_back(size);
    return {out};
  }
  const std::vector<double> factors = op.f64s("scale_factors");
  for (size_t i = 0; i < rank; ++i)
    out.push_back(resized_size(op, last_dims(x, rank)[i], factors.at(factors.size() == 1 ? 0 : i)));
  return {out};
}

void register_resize(Registry& r) {
  r.add({.op = "aten::upsample_nearest2d",
         .also = {"aten::upsample_nearest1d", "aten::upsample_nearest3d",
                  "aten::upsample_nearest1d.vec", "aten::upsample_nearest2d.vec",
                  "aten::upsample_nearest3d.vec"},
         .doc = "entry floor(i * in / out)",
         .variants = {{any_target(), "tract_core_gather",
                       upsample_nearest<nearest_taps, symbolic_nearest>}}});
  r.add({.op = "aten::_upsample_nearest_exact2d",
         .also = {"aten::_upsample_nearest_exact1d", "aten::_upsample_nearest_exact3d",
                  "aten::_upsample_nearest_exact1d.vec", "aten::_upsample_nearest_exact2d.vec",
                  "aten::_upsample_nearest_exact3d.vec"},
         .doc = "entry floor((i + 1/2) * in / out)",
         .variants = {{any_target(), "tract_core_gather",
                       upsample_nearest<nearest_exact_taps, symbolic_nearest_exact>}}});
  r.add({.op = "aten::upsample_bilinear2d",
         .also = {"aten::upsample_linear1d", "aten::upsample_trilinear3d",
                  "aten::upsample_linear1d.vec", "aten::upsample_bilinear2d.vec",
                  "aten::upsample_trilinear3d.vec"},
         .doc = "between the two nearest entries along each axis",
         .variants = {{any_target(), "tract_core_gather", upsample<linear_taps, symbolic_linear>}},
         .limits = kFloats});
  r.same({"aten::upsample_bicubic2d", "aten::upsample_bicubic2d.vec"},
         {"tract_core_gather",
          "Keys' cubic with a = -0.75 over four entries along each axis",
          upsample<cubic_taps, symbolic_cubic>,
          {},
          kFloats});
  r.shapes(upsample_shapes,
           "_upsample_nearest_exact1d _upsample_nearest_exact2d _upsample_nearest_exact3d "
           "upsample_bicubic2d upsample_bilinear2d upsample_linear1d upsample_nearest1d "
           "upsample_nearest2d upsample_nearest3d upsample_trilinear3d");
}

}  // namespace t2n::ops
