// SPDX-License-Identifier: Apache-2.0
// Shared by operators that resize spatial axes.
#include <array>
#include <cmath>

#include "ops/layers/resize.h"
#include "src/translate/arith.h"
#include "src/translate/quotient.h"
#include "src/translate/sizes.h"

namespace t2n::ops {
namespace {

constexpr std::array<std::array<std::string_view, 3>, 3> kScales = {
    {{"scales"}, {"scales_h", "scales_w"}, {"scales_d", "scales_h", "scales_w"}}};

std::vector<std::optional<double>> read_scales(const OpView& op, int spatial) {
  std::vector<std::optional<double>> scales(spatial);
  if (op.has_argument("scale_factors")) {
    if (const auto factors = op.opt_f64s("scale_factors"))
      for (size_t i = 0; i < scales.size(); ++i)
        scales[i] = factors->at(factors->size() == 1 ? 0 : i);
    return scales;
  }
  for (size_t i = 0; i < scales.size(); ++i) scales[i] = op.opt_f64(kScales[scales.size() - 1][i]);
  return scales;
}

/// The most rows plus columns of a result of torch's kernel for few nearest pixels.
constexpr int64_t kFewPixels = 128;

/// See ATen/native/UpSample.h, and its kernels in ATen/native/cpu/UpSampleKernel.cpp.
ExactSizes exact_sizes(std::string_view op) {
  const auto has = [&](std::string_view part) { return op.find(part) != std::string_view::npos; };
  if (has("nearest2d")) return ExactSizes::equal_or_double;
  return has("nearest") || (has("bicubic") && !has("_aa")) ? ExactSizes::none : ExactSizes::equal;
}

/// `factor` is the user's, `ratio` that of sizes for which torch takes the ratio itself. Of one
/// entry all steps make the same.
Ref step_or_ratio(Emitter& out, const SymbolicAxis& a, Ref step, double factor, int64_t ratio) {
  const auto limit = static_cast<double>(ratio);
  if (factor <= limit || factor >= limit + 0.5) return step;
  Ref is_ratio =
      compare(out, "eq", out.size(a.out, DType::i64), out.size(ratio * a.in, DType::i64));
  if (a.exact == ExactSizes::equal_or_double)
    is_ratio = logical_and(
        out, is_ratio,
        compare(out, "le", out.size(a.pixels, DType::i64), out.scalar(kFewPixels, DType::i64)));
  return select(out, is_ratio, like(out, 1 / limit, step), step);
}

}  // namespace

Ref symbolic_step(Emitter& out, const SymbolicAxis& a, DType dtype) {
  if (!a.align_corners && a.scale && *a.scale > 0) {
    Ref step = out.scalar(1.0 / *a.scale, dtype);
    if (a.exact != ExactSizes::none) step = step_or_ratio(out, a, step, *a.scale, 1);
    if (a.exact == ExactSizes::equal_or_double) step = step_or_ratio(out, a, step, *a.scale, 2);
    return step;
  }
  const Dim one = a.align_corners ? 1 : 0;
  // An error of the last bit grows with the position and may move it across an integer.
  const Dim intervals = max(a.out - one, Dim(1));
  return exact_quotient(out, out.size(a.in - one, dtype), out.size(intervals, dtype));
}

double cubic_weight(double x, double a) {
  x = std::abs(x);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  return 0;
}

Ref sampled_tensor(const OpView& op) {
  return op.tensor(op.has_argument("input") ? "input" : "self");
}

void check_float(const OpView& op, const Emitter& out, Ref x) {
  if (!ir::is_float(out.dtype(x)))
    op.refuse_op(Limit::integer_interpolation, "interpolate in float32");
}

std::optional<Ref> symbolic_resized(const OpView& op, Emitter& out, SymbolicSample sample) {
  Ref y = sampled_tensor(op);
  if (is_static(out.shape(y)) && is_static(op.shape())) return {};
  op.ignore("output_size", "the result's shape shows it");
  const int spatial = op.rank() - 2;
  const auto scales = read_scales(op, spatial);
  const bool align = op.has_argument("align_corners") && op.boolean("align_corners");
  for (int i = spatial - 1; i >= 0; --i) {
    const SymbolicAxis axis{size_of(out, y, i + 2),
                            op.shape()[i + 2],
                            scales[i],
                            align,
                            exact_sizes(op.op()),
                            op.shape().back() + op.shape()[spatial]};
    if (!(axis.in == axis.out)) y = sample(out, y, i + 2, axis);
  }
  return y;
}

Resizing read_resizing(const OpView& op, Emitter& out) {
  op.ignore("output_size", "the result's shape shows it");
  Resizing r;
  r.x = sampled_tensor(op);
  const int spatial = op.rank() - 2;
  const auto scales = read_scales(op, spatial);
  const bool align = op.has_argument("align_corners") && op.boolean("align_corners");
  ExactSizes exact = exact_sizes(op.op());
  if (exact == ExactSizes::equal_or_double &&
      known_size(op, 0, 2) + known_size(op, 0, 3) > kFewPixels)
    exact = ExactSizes::none;
  for (int i = 0; i < spatial; ++i)
    r.axes.push_back(
        {known_size(out, r.x, i + 2), known_size(op, 0, i + 2), scales[i], align, exact});
  return r;
}

}  // namespace t2n::ops
