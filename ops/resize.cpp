// Upsampling along spatial axes: every output entry is a weighted sum of a few input entries.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "ops/positions.h"
#include "ops/spatial.h"
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

/// The change of one axis from `in` to `out` entries.
struct Axis {
  int64_t in = 1;
  int64_t out = 1;
  std::optional<double> scale;  ///< out / in as the user gave it, if torch uses that
  bool align_corners = false;

  /// Input entries per output entry, as torch computes it (ATen/native/UpSample.h).
  double step() const {
    if (align_corners)
      return out > 1 ? static_cast<double>(in - 1) / static_cast<double>(out - 1) : 0.0;
    if (scale && *scale > 0) return 1.0 / *scale;
    return static_cast<double>(in) / static_cast<double>(out);
  }
  double source(int64_t i) const {
    const auto at = static_cast<double>(i);
    return align_corners ? step() * at : step() * (at + 0.5) - 0.5;
  }
};

/// torch's rounding to f32 must be repeated, because the floor depends on it.
double rounded_unless_f64(double x, DType dtype) {
  return dtype == DType::f64 ? x : static_cast<double>(static_cast<float>(x));
}

Taps nearest_taps(const Axis& a, DType dtype) {
  const double step = rounded_unless_f64(a.step(), dtype);
  std::vector<int64_t> entries;
  for (int64_t i = 0; i < a.out; ++i) {
    const double at = rounded_unless_f64(static_cast<double>(i) * step, DType::f32);
    entries.push_back(std::min(static_cast<int64_t>(std::floor(at)), a.in - 1));
  }
  return {{entries}, {}};
}

Taps nearest_exact_taps(const Axis& a, DType dtype) {
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

Taps linear_taps(const Axis& a, DType) {
  Taps taps = taps_of_width(2);
  for (int64_t i = 0; i < a.out; ++i) {
    const double at = a.in == a.out ? static_cast<double>(i) : std::max(a.source(i), 0.0);
    const int64_t low = std::min(static_cast<int64_t>(at), a.in - 1);
    const double weight = std::clamp(at - static_cast<double>(low), 0.0, 1.0);
    taps.entries[0].push_back(low);
    taps.entries[1].push_back(std::min(low + 1, a.in - 1));
    taps.weights[0].push_back(1 - weight);
    taps.weights[1].push_back(weight);
  }
  return taps;
}

/// Keys' kernel at distance x; torch takes a = -0.75, and -0.5 with antialiasing.
double cubic_weight(double x, double a) {
  x = std::abs(x);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  return 0;
}

Taps cubic_taps(const Axis& a, DType) {
  Taps taps = taps_of_width(4);
  for (int64_t i = 0; i < a.out; ++i) {
    const double at = a.source(i);
    const int64_t low = std::min(static_cast<int64_t>(std::floor(at)), a.in - 1);
    const double fraction = std::clamp(at - static_cast<double>(low), 0.0, 1.0);
    for (int64_t k = 0; k < 4; ++k) {
      const auto tap = static_cast<size_t>(k);
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
  shape[static_cast<size_t>(axis)] = static_cast<int64_t>(weights.size());
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

/// The sampling of an axis with a symbolic size.
struct OpenAxis {
  Dim in;
  Dim out;
  std::optional<double> scale;
  bool align_corners = false;
};

/// Axis::step as a number of the model.
Ref open_step(Emitter& out, const OpenAxis& a, DType dtype) {
  if (!a.align_corners && a.scale && *a.scale > 0) return out.scalar(1.0 / *a.scale, dtype);
  const Dim one = a.align_corners ? 1 : 0;
  return div(out, out.size(a.in - one, dtype), out.size(max(a.out - one, Dim(1)), dtype));
}

/// Entries up to the last one, as integers.
Ref as_entries(Emitter& out, Ref at, const Dim& size) {
  const Ref whole = out.cast(out.elementwise("floor", {at}), DType::i64);
  return minimum(out, whole, out.size(size - Dim(1), DType::i64));
}

Ref plus_number(Emitter& out, Ref x, double number) { return add(out, x, like(out, number, x)); }

Ref open_nearest(Emitter& out, Ref x, int axis, const OpenAxis& a) {
  if (const auto y = enlarge_streamed(out, x, axis, a.out, a.scale)) return *y;
  const DType dtype = DType::f32;
  const Ref steps = out.cast(out.range(a.out), dtype);
  return take(out, x, as_entries(out, mul(out, steps, open_step(out, a, dtype)), a.in), axis);
}

Ref open_nearest_exact(Emitter& out, Ref x, int axis, const OpenAxis& a) {
  const DType dtype = DType::f32;
  const Ref steps = plus_number(out, out.cast(out.range(a.out), dtype), 0.5);
  const Ref at = plus_number(out, mul(out, steps, open_step(out, a, dtype)), -0.5);
  const Ref rounded_at = plus_number(out, maximum(out, at, like(out, 0, at)), 0.5);
  return take(out, x, as_entries(out, rounded_at, a.in), axis);
}

/// The positions of output entries among the input's.
Ref open_source(Emitter& out, const OpenAxis& a, DType dtype) {
  const Ref steps = out.cast(out.range(a.out), dtype);
  const Ref step = open_step(out, a, dtype);
  if (a.align_corners) return mul(out, steps, step);
  return plus_number(out, mul(out, plus_number(out, steps, 0.5), step), -0.5);
}

/// A weight per output entry, shaped to meet `x`.
Ref along(Emitter& out, Ref weights, Ref x, int axis) {
  Shape shape(out.shape(x).size(), Dim(1));
  shape[static_cast<size_t>(axis)] = out.shape(weights)[0];
  return out.reshape(weights, shape);
}

Ref open_linear(Emitter& out, Ref x, int axis, const OpenAxis& a) {
  x = widened(out, x);
  const DType dtype = out.dtype(x);
  const Ref at = maximum(out, open_source(out, a, dtype), out.scalar(0.0, dtype));
  const Ref low = as_entries(out, at, a.in);
  const Ref high = minimum(out, plus_number(out, low, 1), out.size(a.in - Dim(1), DType::i64));
  const Ref weight = sub(out, at, out.cast(low, dtype));
  const Ref below = take(out, x, low, axis);
  const Ref rise = sub(out, take(out, x, high, axis), below);
  return add(out, below, mul(out, rise, along(out, weight, x, axis)));
}

constexpr std::array<std::array<std::string_view, 3>, 3> kScales = {
    {{"scales"}, {"scales_h", "scales_w"}, {"scales_d", "scales_h", "scales_w"}}};

std::vector<std::optional<double>> read_scales(const OpView& op, int spatial) {
  std::vector<std::optional<double>> scales(static_cast<size_t>(spatial));
  if (op.has_argument("scale_factors")) {
    if (const auto given = op.opt_f64s("scale_factors"))
      for (size_t i = 0; i < scales.size(); ++i) scales[i] = given->at(given->size() == 1 ? 0 : i);
    return scales;
  }
  for (size_t i = 0; i < scales.size(); ++i) scales[i] = op.opt_f64(kScales[scales.size() - 1][i]);
  return scales;
}

struct Resizing {
  Ref x;
  std::vector<Axis> axes;
};

Ref sampled_tensor(const OpView& op) {
  return op.tensor(op.has_argument("input") ? "input" : "self");
}

using OpenSample = Ref (*)(Emitter& out, Ref x, int axis, const OpenAxis& a);

/// Resizes axis by axis, the last first, if some are symbolic. Nothing if none is.
std::optional<Ref> open_resized(const OpView& op, Emitter& out, OpenSample sample) {
  Ref y = sampled_tensor(op);
  if (is_static(out.shape(y)) && is_static(op.shape())) return {};
  op.ignore("output_size", "the result's shape says it");
  const int spatial = op.rank() - 2;
  const auto scales = read_scales(op, spatial);
  const bool align = op.has_argument("align_corners") && op.boolean("align_corners");
  for (int i = spatial - 1; i >= 0; --i) {
    const OpenAxis axis{size_of(out, y, i + 2), op.shape()[static_cast<size_t>(i) + 2],
                        scales[static_cast<size_t>(i)], align};
    if (!(axis.in == axis.out)) y = sample(out, y, i + 2, axis);
  }
  return y;
}

Resizing read_resizing(const OpView& op, Emitter& out) {
  op.ignore("output_size", "the result's shape says it");
  Resizing r;
  r.x = sampled_tensor(op);
  const int spatial = op.rank() - 2;
  const auto scales = read_scales(op, spatial);
  const bool align = op.has_argument("align_corners") && op.boolean("align_corners");
  for (int i = 0; i < spatial; ++i)
    r.axes.push_back({known_size(out, r.x, i + 2), known_size(op, 0, i + 2),
                      scales[static_cast<size_t>(i)], align});
  return r;
}

/// Starts with the last axis: later ones then move whole rows.
template <Taps (*kTaps)(const Axis&, DType), OpenSample kOpen>
void upsample_nearest(const OpView& op, Emitter& out) {
  if (const auto y = open_resized(op, out, kOpen)) return out.result(*y);
  const Resizing r = read_resizing(op, out);
  Ref y = r.x;
  for (size_t i = r.axes.size(); i-- > 0;)
    y = sampled_along(out, y, static_cast<int>(i) + 2, kTaps(r.axes[i], out.dtype(r.x)));
  out.result(y);
}

void check_float(const OpView& op, const Emitter& out, Ref x) {
  if (!ir::is_float(out.dtype(x)))
    op.refuse_op(Limit::integer_interpolation, "interpolate in float32");
}

template <Taps (*kTaps)(const Axis&, DType), OpenSample kOpen = nullptr>
void upsample(const OpView& op, Emitter& out) {
  check_float(op, out, sampled_tensor(op));
  if (kOpen != nullptr)
    if (const auto y = open_resized(op, out, kOpen)) return finish(op, out, *y);
  const Resizing r = read_resizing(op, out);
  Ref y = widened(out, r.x);
  for (size_t i = r.axes.size(); i-- > 0;)
    y = sampled_along(out, y, static_cast<int>(i) + 2, kTaps(r.axes[i], out.dtype(y)));
  out.result(out.cast(y, op.dtype()));
}

/// A kernel that widens as the image shrinks; it ends at `reach`.
struct Filter {
  double (*weight)(double x);
  double reach;
};

double triangle_weight(double x) { return std::max(0.0, 1 - std::abs(x)); }
double sharp_cubic(double x) { return cubic_weight(x, -0.5); }
double normalised_sinc(double x) {
  return x == 0 ? 1 : std::sin(std::numbers::pi * x) / (std::numbers::pi * x);
}
double lanczos(double x) {
  return std::abs(x) < 3 ? normalised_sinc(x) * normalised_sinc(x / 3) : 0;
}

constexpr Filter kTriangle = {triangle_weight, 1};
constexpr Filter kCubic = {sharp_cubic, 2};
constexpr Filter kLanczos = {lanczos, 3};

/// Row i of the matrix [out, in]; windows as in ATen/native/cpu/UpSampleKernel.cpp.
void add_filter_row(std::vector<double>& matrix, const Axis& a, const Filter& filter, int64_t i) {
  const double step = a.step();
  const double spread = std::max(step, 1.0);
  const double center = step * (static_cast<double>(i) + 0.5);
  const double reach = filter.reach * spread;
  const int64_t begin = std::max<int64_t>(static_cast<int64_t>(center - reach + 0.5), 0);
  const int64_t end = std::min(static_cast<int64_t>(center + reach + 0.5), a.in);
  double total = 0;
  std::vector<double> row(static_cast<size_t>(a.in), 0.0);
  for (int64_t at = begin; at < end; ++at) {
    const double weight = filter.weight((static_cast<double>(at) - center + 0.5) / spread);
    row[static_cast<size_t>(at)] = weight;
    total += weight;
  }
  for (double& weight : row) matrix.push_back(total == 0 ? 0 : weight / total);
}

template <const Filter& kFilter>
void upsample_smoothly(const OpView& op, Emitter& out) {
  const Resizing r = read_resizing(op, out);
  check_float(op, out, r.x);
  Ref y = widened(out, r.x);
  for (size_t i = r.axes.size(); i-- > 0;) {
    const Axis& axis = r.axes[i];
    if (axis.in == axis.out) continue;
    std::vector<double> matrix;
    for (int64_t row = 0; row < axis.out; ++row) add_filter_row(matrix, axis, kFilter, row);
    y = along_axis(out, y, static_cast<int>(i) + 2, matrix, axis.out);
  }
  out.result(out.cast(y, op.dtype()));
}

constexpr std::string_view kFloats = "integer tensors are refused";

}  // namespace

void register_resize(Registry& r) {
  r.add({.op = "aten::upsample_nearest2d",
         .also = {"aten::upsample_nearest1d", "aten::upsample_nearest3d",
                  "aten::upsample_nearest1d.vec", "aten::upsample_nearest2d.vec",
                  "aten::upsample_nearest3d.vec"},
         .doc = "entry floor(i * in / out)",
         .variants = {
             {any_target(), "tract_core_gather", upsample_nearest<nearest_taps, open_nearest>}}});
  r.add({.op = "aten::_upsample_nearest_exact2d",
         .also = {"aten::_upsample_nearest_exact1d", "aten::_upsample_nearest_exact3d",
                  "aten::_upsample_nearest_exact1d.vec", "aten::_upsample_nearest_exact2d.vec",
                  "aten::_upsample_nearest_exact3d.vec"},
         .doc = "entry floor((i + 1/2) * in / out)",
         .variants = {{any_target(), "tract_core_gather",
                       upsample_nearest<nearest_exact_taps, open_nearest_exact>}}});
  r.add({.op = "aten::upsample_bilinear2d",
         .also = {"aten::upsample_linear1d", "aten::upsample_trilinear3d",
                  "aten::upsample_linear1d.vec", "aten::upsample_bilinear2d.vec",
                  "aten::upsample_trilinear3d.vec"},
         .doc = "between the two nearest entries along each axis",
         .variants = {{any_target(), "tract_core_gather", upsample<linear_taps, open_linear>}},
         .limits = kFloats});
  r.same({"aten::upsample_bicubic2d", "aten::upsample_bicubic2d.vec"},
         {"tract_core_gather",
          "Keys' cubic with a = -0.75 over four entries along each axis",
          upsample<cubic_taps>,
          {},
          kFloats});
  r.same({"aten::_upsample_bilinear2d_aa", "aten::_upsample_bilinear2d_aa.vec"},
         {"matmul",
          "a triangle as wide as an output entry along each axis",
          upsample_smoothly<kTriangle>,
          {},
          kFloats});
  r.same({"aten::_upsample_bicubic2d_aa", "aten::_upsample_bicubic2d_aa.vec"},
         {"matmul",
          "Keys' cubic with a = -0.5, as wide as an output entry",
          upsample_smoothly<kCubic>,
          {},
          kFloats});
  r.same({"aten::_upsample_lanczos2d_aa", "aten::_upsample_lanczos2d_aa.vec"},
         {"matmul",
          "a windowed sinc of three lobes, as wide as an output entry",
          upsample_smoothly<kLanczos>,
          {},
          kFloats});
}

}  // namespace t2n::ops
