// Resized images: to given sizes, or by a factor.
#include <cmath>

#include "ir/fraction.h"
#include "src/diag/error.h"
#include "src/dynamic/shape_rule.h"

namespace t2n::dynamic {
namespace {

using ir::Dim;
using ir::Shape;

/// floor(size * factor), in integers if that is the same for all sizes.
Dim scaled(const ShapeView& op, const Dim& size, double factor) {
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

Shapes upsample(const ShapeView& op) {
  const Shape& x = op.first();
  const size_t rank = x.size() - 2;
  Shape out = all_but_last(x, rank);
  if (op.has("output_size")) {
    for (const Dim& size : op.dims("output_size", rank, 1)) out.push_back(size);
    return {out};
  }
  const std::vector<double> factors = op.f64s("scale_factors");
  for (size_t i = 0; i < rank; ++i)
    out.push_back(scaled(op, last_dims(x, rank)[i], factors.at(factors.size() == 1 ? 0 : i)));
  return {out};
}

/// With antialiasing, torch gives every row of a one-column result the values of the first.
Shapes smoothed(const ShapeView& op) {
  const Shape out = upsample(op).front();
  const bool keeps_rows = out.at(2) == op.first().at(2);
  if (!out.back().is_constant() && !keeps_rows) op.require(out.back(), Relation::ge, 2);
  return {out};
}

/// One point of the grid for each result.
Shapes grid_sampler(const ShapeView& op) {
  Shape out = all_but_last(op.shape("grid"), 1);
  out.insert(out.begin() + 1, op.shape("input").at(1));
  return {out};
}

}  // namespace

void add_resize_rules(ShapeRules& r) {
  r.add(smoothed, "_upsample_bicubic2d_aa _upsample_bilinear2d_aa _upsample_lanczos2d_aa");
  r.add(upsample,
        "_upsample_nearest_exact1d _upsample_nearest_exact2d _upsample_nearest_exact3d "
        "upsample_bicubic2d upsample_bilinear2d upsample_linear1d upsample_nearest1d "
        "upsample_nearest2d upsample_nearest3d upsample_trilinear3d");
  r.add(grid_sampler, "grid_sampler grid_sampler_2d grid_sampler_3d");
}

}  // namespace t2n::dynamic
