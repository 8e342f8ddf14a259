// SPDX-License-Identifier: Apache-2.0
// Shared by operators that resize spatial axes.
#include <algorithm>
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

/// The conditions under which sizes are exact, as in ATen/native/UpSample.h and its kernels.
enum class Exactness : std::uint8_t { always, if_few_pixels, if_all_are_equal };
struct Rule {
  ExactSizes sizes = ExactSizes::none;
  Exactness holds = Exactness::always;
};

/// `kernel` is what the recorder noted of the tensor: its memory order, or that it is quantised.
Rule exact_rule(const OpView& op) {
  const auto has = [&](std::string_view part) {
    return op.op().find(part) != std::string_view::npos;
  };
  const bool is_noted = op.has_argument("kernel");
  if (is_noted && op.one_of("kernel", {"quantised", "channels_last"}) == "quantised")
    return {ExactSizes::equal, Exactness::if_all_are_equal};
  if (is_noted) return {ExactSizes::equal_or_double, Exactness::always};
  if (has("nearest2d")) return {ExactSizes::equal_or_double, Exactness::if_few_pixels};
  if (has("nearest") || (has("bicubic") && !has("_aa"))) return {};
  return {ExactSizes::equal, Exactness::always};
}

Ref are_equal(Emitter& out, const Dim& a, const Dim& b) {
  return compare(out, "eq", out.size(a, DType::i64), out.size(b, DType::i64));
}

std::optional<Ref> takes_exact(const OpView& op, Emitter& out, const Rule& rule, const Shape& in) {
  const Shape& result = op.shape();
  if (rule.holds == Exactness::if_few_pixels)
    return compare(out, "le", out.size(result[2] + result[3], DType::i64),
                   out.scalar(kFewPixels, DType::i64));
  if (rule.holds != Exactness::if_all_are_equal) return {};
  Ref all = are_equal(out, in[2], result[2]);
  for (size_t axis = 3; axis < in.size(); ++axis)
    all = logical_and(out, all, are_equal(out, in[axis], result[axis]));
  return all;
}

bool takes_exact(const Rule& rule, const std::vector<ResizedAxis>& axes) {
  if (rule.holds == Exactness::if_few_pixels) return axes[0].out + axes[1].out <= kFewPixels;
  return rule.holds != Exactness::if_all_are_equal ||
         std::all_of(axes.begin(), axes.end(),
                     [](const ResizedAxis& each) { return each.in == each.out; });
}

/// Whether the factor may round to this ratio of sizes, of more than one entry: of one entry all
/// steps make the same.
bool may_give(double factor, int64_t ratio) {
  const auto limit = static_cast<double>(ratio);
  return factor > limit && factor < limit + 0.5;
}

/// `factor` is the user's, `ratio` that of sizes for which torch takes the ratio itself.
Ref step_or_ratio(Emitter& out, const SymbolicAxis& a, Ref step, double factor, int64_t ratio) {
  if (!may_give(factor, ratio)) return step;
  Ref is_ratio = are_equal(out, a.out, ratio * a.in);
  if (a.takes_exact) is_ratio = logical_and(out, is_ratio, *a.takes_exact);
  return select(out, is_ratio, like(out, 1 / static_cast<double>(ratio), step), step);
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
  Rule rule = exact_rule(op);
  if (std::none_of(scales.begin(), scales.end(), [](const std::optional<double>& factor) {
        return factor && (may_give(*factor, 1) || may_give(*factor, 2));
      }))
    rule = {};
  const auto condition = takes_exact(op, out, rule, out.shape(y));
  for (int i = spatial - 1; i >= 0; --i) {
    const SymbolicAxis axis{
        size_of(out, y, i + 2), op.shape()[i + 2], scales[i], align, rule.sizes, condition};
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
  const Rule rule = exact_rule(op);
  for (int i = 0; i < spatial; ++i)
    r.axes.push_back(
        {known_size(out, r.x, i + 2), known_size(op, 0, i + 2), scales[i], align, rule.sizes});
  if (!takes_exact(rule, r.axes))
    for (ResizedAxis& axis : r.axes) axis.exact = ExactSizes::none;
  return r;
}

}  // namespace t2n::ops
