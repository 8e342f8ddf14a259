// SPDX-License-Identifier: Apache-2.0
// Resizing with antialiasing: every output entry is a mean of the entries under a filter as wide as
// the output entry.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "ops/layers/families.h"
#include "ops/layers/resize.h"
#include "ops/pointwise/special.h"
#include "ops/structure/spatial.h"
#include "src/translate/registry.h"
#include "src/translate/sizes.h"

namespace t2n::ops {
namespace {

/// A kernel that widens as the image shrinks; it ends at `reach`.
struct Filter {
  double (*weight)(double x);
  double reach;
  Ref (*weights)(Emitter& out, Ref distance);
};

double triangle_weight(double x) { return std::max(0.0, 1 - std::abs(x)); }
double sharp_cubic(double x) { return cubic_weight(x, -0.5); }
double normalised_sinc(double x) {
  return x == 0 ? 1 : std::sin(std::numbers::pi * x) / (std::numbers::pi * x);
}
double lanczos(double x) {
  return std::abs(x) < 3 ? normalised_sinc(x) * normalised_sinc(x / 3) : 0;
}

// The same as numbers of the model, of distances from the centre.
Ref triangle_weights(Emitter& out, Ref distance) {
  return maximum(out, minus_from(out, 1, distance), like(out, 0, distance));
}
Ref sharp_cubic_weights(Emitter& out, Ref d) {
  constexpr double kA = -0.5;
  const Ref inner = plus(out, times(out, d, kA + 2), -(kA + 3));
  const Ref near = plus(out, mul(out, mul(out, inner, d), d), 1);
  const Ref outer = plus(out, mul(out, plus(out, times(out, d, kA), -5 * kA), d), 8 * kA);
  const Ref far = plus(out, mul(out, outer, d), -4 * kA);
  return select(out, is_below(out, d, 1), near, replaced(out, is_above(out, d, 2), 0, far));
}
Ref sinc_of(Emitter& out, Ref x) {
  const Ref angle = times(out, x, std::numbers::pi);
  const Ref is_zero = compare(out, "eq", x, like(out, 0, x));
  return replaced(out, is_zero, 1,
                  div(out, out.elementwise("sin", {angle}), replaced(out, is_zero, 1, angle)));
}
Ref lanczos_weights(Emitter& out, Ref d) {
  const Ref inside = mul(out, sinc_of(out, d), sinc_of(out, times(out, d, 1.0 / 3)));
  return select(out, is_below(out, d, 3), inside, like(out, 0, d));
}

constexpr Filter kTriangle = {triangle_weight, 1, triangle_weights};
constexpr Filter kCubic = {sharp_cubic, 2, sharp_cubic_weights};
constexpr Filter kLanczos = {lanczos, 3, lanczos_weights};

/// The matrix [out, in] at symbolic sizes. Filters are 0 where their windows end.
template <const Filter& kFilter>
Ref symbolic_smooth(Emitter& out, Ref x, int axis, const SymbolicAxis& a) {
  x = widened(out, x);
  const DType dtype = out.has(target::Feature::computes_f64) ? DType::f64 : out.dtype(x);
  const Ref step = symbolic_step(out, a, dtype);
  const auto middles = [&](const Dim& n, int along_axis) {
    return plus(out, out.cast(iota(out, n, along_axis, 2), dtype), 0.5);
  };
  const Ref distance =
      magnitude(out, sub(out, middles(a.in, 1), mul(out, middles(a.out, 0), step)));
  const Ref width = maximum(out, step, like(out, 1, step));
  const Ref weights = kFilter.weights(out, div(out, distance, width));
  const Ref shares = div(out, weights, reduce(out, "sum_reduce", weights, {1}));
  return along_axis(out, x, axis, out.cast(shares, out.dtype(x)));
}

/// Row i of the matrix [out, in]; windows as in ATen/native/cpu/UpSampleKernel.cpp.
void add_filter_row(std::vector<double>& matrix, const ResizedAxis& a, const Filter& filter,
                    int64_t i) {
  const double step = a.step();
  const double width = std::max(step, 1.0);
  const double center = step * (static_cast<double>(i) + 0.5);
  const double reach = filter.reach * width;
  const int64_t begin = std::max<int64_t>(static_cast<int64_t>(center - reach + 0.5), 0);
  const int64_t end = std::min(static_cast<int64_t>(center + reach + 0.5), a.in);
  double total = 0;
  std::vector<double> row(static_cast<size_t>(a.in), 0.0);
  for (int64_t at = begin; at < end; ++at) {
    const double weight = filter.weight((static_cast<double>(at) - center + 0.5) / width);
    row[at] = weight;
    total += weight;
  }
  for (double& weight : row) matrix.push_back(total == 0 ? 0 : weight / total);
}

template <const Filter& kFilter>
void upsample_smoothly(const OpView& op, Emitter& out) {
  check_float(op, out, sampled_tensor(op));
  if (const auto y = symbolic_resized(op, out, symbolic_smooth<kFilter>))
    return finish(op, out, *y);
  const Resizing r = read_resizing(op, out);
  Ref y = widened(out, r.x);
  for (size_t i = r.axes.size(); i-- > 0;) {
    const ResizedAxis& axis = r.axes[i];
    if (axis.in == axis.out) continue;
    std::vector<double> matrix;
    for (int64_t row = 0; row < axis.out; ++row) add_filter_row(matrix, axis, kFilter, row);
    y = along_axis(out, y, static_cast<int>(i) + 2, matrix, axis.out);
  }
  out.result(out.cast(y, op.dtype()));
}

constexpr std::string_view kOfFloats = "integer tensors are refused";

/// With antialiasing, torch gives every row of a one-column result the values of the first.
Shapes smoothed_shapes(const ShapeView& op) {
  const Shape out = upsample_shapes(op).front();
  const bool keeps_rows = out.at(2) == op.first().at(2);
  if (!out.back().is_constant() && !keeps_rows) op.require(out.back(), Relation::ge, 2);
  return {out};
}

}  // namespace

void register_smooth_resize(Registry& r) {
  r.same({"aten::_upsample_bilinear2d_aa", "aten::_upsample_bilinear2d_aa.vec"},
         {"matmul",
          "a triangle as wide as an output entry along each axis",
          upsample_smoothly<kTriangle>,
          {},
          kOfFloats});
  r.same({"aten::_upsample_bicubic2d_aa", "aten::_upsample_bicubic2d_aa.vec"},
         {"matmul",
          "Keys' cubic with a = -0.5, as wide as an output entry",
          upsample_smoothly<kCubic>,
          {},
          kOfFloats});
  r.same({"aten::_upsample_lanczos2d_aa", "aten::_upsample_lanczos2d_aa.vec"},
         {"matmul",
          "a windowed sinc of three lobes, as wide as an output entry",
          upsample_smoothly<kLanczos>,
          {},
          kOfFloats});
  r.shapes(smoothed_shapes,
           "_upsample_bicubic2d_aa _upsample_bilinear2d_aa _upsample_lanczos2d_aa");
}

}  // namespace t2n::ops
