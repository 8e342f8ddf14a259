// SPDX-License-Identifier: Apache-2.0
// Sampling at computed positions, and affine grids of such positions.
#include <optional>
#include <utility>

#include "ops/layers/families.h"
#include "ops/structure/product.h"
#include "ops/structure/spatial.h"
#include "src/translate/arith.h"
#include "src/translate/registry.h"
#include "src/translate/sizes.h"

namespace t2n::ops {
namespace {

enum Interpolation { kBilinear, kNearest, kBicubic };
enum Padding { kZeros, kBorder, kReflection };
constexpr const char* kModes[] = {"bilinear", "nearest", "bicubic"};
constexpr const char* kPaddings[] = {"zeros", "border", "reflection"};

struct Sampling {
  Ref x;     ///< [N, C, spatial…]
  Ref grid;  ///< [N, positions…, axes], the last spatial axis first
  Interpolation mode = kBilinear;
  Padding padding = kZeros;
  bool align_corners = false;
};

Sampling read_sampling(const OpView& op, Emitter& out) {
  return {widened(out, op.tensor("input")), widened(out, op.tensor("grid")),
          static_cast<Interpolation>(op.i64("interpolation_mode")),
          static_cast<Padding>(op.i64("padding_mode")), op.boolean("align_corners")};
}

/// One entry that a position reads along an axis: its index, and its weight (1 if absent).
struct Tap {
  Ref index;  ///< in floats
  std::optional<Ref> weight;
};

Ref floor_of(Emitter& out, Ref x) { return out.elementwise("floor", {x}); }
Ref times_plus(Emitter& out, Ref x, double factor, double offset) {
  return add(out, mul(out, x, like(out, factor, x)), like(out, offset, x));
}
Ref clamped_to(Emitter& out, Ref x, double low, double high) {
  return minimum(out, maximum(out, x, like(out, low, x)), like(out, high, x));
}

/// From [-1, 1] to the entries of an axis of `size`.
Ref unnormalised(Emitter& out, Ref g, int64_t size, bool align_corners) {
  const auto n = static_cast<double>(size);
  return align_corners ? times_plus(out, g, (n - 1) / 2, (n - 1) / 2)
                       : times_plus(out, g, n / 2, (n - 1) / 2);
}

/// Reflects between the centres of the outer entries, or half an entry further.
Ref reflected(Emitter& out, Ref at, int64_t size, bool align_corners) {
  const auto n = static_cast<double>(size);
  const double low = align_corners ? 0 : -0.5;
  const double span = align_corners ? n - 1 : n;
  if (span == 0) return mul(out, at, like(out, 0, at));
  const Ref distance = magnitude(out, times_plus(out, at, 1, -low));
  const Ref flips = floor_of(out, times_plus(out, distance, 1 / span, 0));
  const Ref extra = sub(out, distance, times_plus(out, flips, span, 0));
  const Ref pairs = floor_of(out, times_plus(out, flips, 0.5, 0));
  const Ref is_odd =
      compare(out, "gt", sub(out, flips, times_plus(out, pairs, 2, 0)), like(out, 0.5, at));
  return select(out, is_odd, times_plus(out, extra, -1, span + low),
                times_plus(out, extra, 1, low));
}

/// Where a position outside of the axis is read; zeros are handled later.
Ref inside(Emitter& out, const Sampling& s, Ref at, int64_t size) {
  if (s.padding == kZeros) return at;
  if (s.padding == kReflection) at = reflected(out, at, size, s.align_corners);
  return clamped_to(out, at, 0, static_cast<double>(size - 1));
}

/// The entries that the positions `g` along one axis of `size` read.
std::vector<Tap> taps(Emitter& out, const Sampling& s, Ref g, int64_t size) {
  const Ref raw = unnormalised(out, g, size, s.align_corners);
  if (s.mode == kNearest)
    return {{out.elementwise("tract_core_round_even", {inside(out, s, raw, size)}), {}}};
  // Cubic taps are moved inside one by one; for others the position is.
  const Ref at = s.mode == kBicubic ? raw : inside(out, s, raw, size);
  const Ref first = floor_of(out, at);
  const Ref t = sub(out, at, first);
  if (s.mode == kBilinear)
    return {{first, times_plus(out, t, -1, 1)}, {times_plus(out, first, 1, 1), t}};
  std::vector<Tap> out_taps;
  const std::vector<Ref> weights = cubic_weights(out, t);
  for (int i = 0; i < 4; ++i)
    out_taps.push_back({inside(out, s, times_plus(out, first, 1, i - 1), size), weights.at(i)});
  return out_taps;
}

/// The entries of one tap per axis, weighted: [N, C, positions].
Ref sample(Emitter& out, Ref rows, const std::vector<Tap>& combination, const Ints& sizes) {
  std::optional<Ref> index, weight;
  const auto times = [&](Ref factor) { weight = weight ? mul(out, *weight, factor) : factor; };
  for (size_t axis = 0; axis < combination.size(); ++axis) {
    const Ref at = combination[axis].index;
    const auto last = static_cast<double>(sizes[axis] - 1);
    const Ref near = clamped_to(out, at, 0, last);
    const Ref entry = out.cast(near, DType::i64);
    index = index ? add(out, times_plus(out, *index, static_cast<double>(sizes[axis]), 0), entry)
                  : entry;
    if (combination[axis].weight) times(*combination[axis].weight);
    times(out.cast(compare(out, "eq", at, near), out.dtype(rows)));
  }
  Shape shape = out.shape(rows);
  shape[2] = out.shape(*index).back();
  const Ref everywhere = out.broadcast_to(out.unsqueeze(*index, {1}), shape);
  const Ref read = out.call("tract_core_gather_elements", {rows, everywhere}, {{"axis", 2}},
                            out.dtype(rows), shape);
  return mul(out, read, out.unsqueeze(*weight, {1}));
}

/// The sum over all combinations of one tap per axis.
Ref sampled(Emitter& out, const Sampling& s) {
  const Ints in = out.sizes(s.x);
  const Ints sizes(in.begin() + 2, in.end());
  const Ints grid_sizes = out.sizes(s.grid);
  const int64_t count = ir::element_count(grid_sizes) / grid_sizes[0] / grid_sizes.back();
  const Ref grid = out.reshape(s.grid, {grid_sizes[0], count, grid_sizes.back()});
  std::vector<std::vector<Tap>> combinations = {{}};
  for (size_t axis = 0; axis < sizes.size(); ++axis) {
    const auto column = static_cast<int64_t>(sizes.size() - 1 - axis);
    const Ref g = out.squeeze(out.slice(grid, 2, column, column + 1), {2});
    std::vector<std::vector<Tap>> longer;
    for (const Tap& tap : taps(out, s, g, sizes[axis]))
      for (std::vector<Tap> start : combinations) {
        start.push_back(tap);
        longer.push_back(std::move(start));
      }
    combinations = std::move(longer);
  }
  const Ref rows = out.reshape(s.x, {in[0], in[1], ir::element_count(sizes)});
  std::optional<Ref> y;
  for (const auto& combination : combinations) {
    const Ref part = sample(out, rows, combination, sizes);
    y = y ? add(out, *y, part) : part;
  }
  return *y;
}

void grid_sampler_gathered(const OpView& op, Emitter& out) {
  const Ref y = sampled(out, read_sampling(op, out));
  out.result(out.cast(out.reshape(y, op.shape()), op.dtype()));
}

/// tract's own operator reads images only, and moves bicubic positions inside, not their entries.
void grid_sampler(const OpView& op, Emitter& out) {
  const Sampling s = read_sampling(op, out);
  if (out.rank(s.x) != 4 || (s.mode == kBicubic && s.padding == kBorder))
    return grid_sampler_gathered(op, out);
  const Ref y = out.call(op.nnef(), {s.x, s.grid},
                         {{"mode", kModes[s.mode]},
                          {"padding_mode", kPaddings[s.padding]},
                          {"align_corners", s.align_corners}},
                         out.dtype(s.x), op.shape());
  out.result(out.cast(y, op.dtype()));
}

/// Position i of n in [-1, 1]: from edge to edge, or between the centres of the outer entries.
double position(int64_t i, int64_t n, bool align_corners) {
  if (n <= 1) return 0;
  const double last = static_cast<double>(n - 1);
  const double at = -1 + 2 * static_cast<double>(i) / last;
  return align_corners ? at : at * last / static_cast<double>(n);
}

/// Rows (x, y, 1) or (x, y, z, 1) of all positions, in row-major order of `sizes`.
std::vector<double> base_grid(const Ints& sizes, bool align_corners) {
  std::vector<double> out;
  const int64_t count = ir::element_count(sizes);
  for (int64_t index = 0; index < count; ++index) {
    int64_t rest = index;
    for (size_t axis = sizes.size(); axis-- > 0; rest /= sizes[axis])
      out.push_back(position(rest % sizes[axis], sizes[axis], align_corners));
    out.push_back(1);
  }
  return out;
}

/// Position i of a symbolic n in [-1, 1], along `axis` of `rank`.
Ref symbolic_position(Emitter& out, const Dim& n, bool align_corners, int axis, int rank,
                      DType dtype) {
  const Ref doubled = mul(out, iota(out, n, axis, rank), out.scalar(2, DType::i64));
  const Ref from_middle = sub(out, doubled, out.size(n - Dim(1), DType::i64));
  const Dim by = align_corners ? max(n - Dim(1), Dim(1)) : n;
  return div(out, out.cast(from_middle, dtype), out.size(by, dtype));
}

/// For a symbolic size: the sum over the columns of theta, each times its positions.
void symbolic_affine_grid(const OpView& op, Emitter& out, Ref theta, const Shape& size) {
  const bool align_corners = op.boolean("align_corners");
  const int dims = static_cast<int>(size.size()) - 2;
  const auto column = [&](int64_t at) {
    Shape shape(static_cast<size_t>(dims) + 2, Dim(1));
    shape.front() = out.shape(theta)[0];
    shape.back() = dims;
    return out.reshape(out.slice(theta, 2, at, at + 1), shape);
  };
  Ref y = column(dims);
  for (int axis = 1; axis <= dims; ++axis) {
    const Dim& n = size[axis + 1];
    const Ref at = symbolic_position(out, n, align_corners, axis, dims + 2, out.dtype(theta));
    y = add(out, y, mul(out, column(dims - axis), at));
  }
  finish(op, out, y);
}

/// theta [N, d, d + 1] applied to each position of an image of `size` [N, C, spatial…].
void affine_grid(const OpView& op, Emitter& out) {
  const Ref theta = widened(out, op.tensor("theta"));
  if (const Shape size = op.dims("size"); !is_static(size))
    return symbolic_affine_grid(op, out, theta, size);
  const Ints size = op.ints("size");
  const Ints spatial(size.begin() + 2, size.end());
  const auto dims = static_cast<int64_t>(spatial.size());
  const int64_t count = ir::element_count(spatial);
  const std::vector<double> rows = base_grid(spatial, op.boolean("align_corners"));
  const Ref base =
      out.constant(ir::tensor_of(out.dtype(theta), {1, count, dims + 1}, rows), "grid");
  const Ref y = product_transposed(op, out, base, theta);
  out.result(out.cast(out.reshape(y, op.shape()), op.dtype()));
}

/// [N, H, W, 2] for a size of [N, C, H, W], and so on.
Shapes affine_grid_shapes(const ShapeView& op) {
  Shape out = op.dims("size");
  const auto axes = static_cast<int64_t>(out.size()) - 2;
  out.erase(out.begin() + 1);
  out.push_back(axes);
  return {out};
}

/// One point of the grid for each result.
Shapes grid_sampler_shapes(const ShapeView& op) {
  Shape out = all_but_last(op.shape("grid"), 1);
  out.insert(out.begin() + 1, op.shape("input").at(1));
  return {out};
}

}  // namespace

void register_grid_sample(Registry& r) {
  r.add({.op = "aten::grid_sampler",
         .also = {"aten::grid_sampler_2d", "aten::grid_sampler_3d"},
         .doc = "input at the positions of grid, in [-1, 1] along each axis",
         .variants = {{has(Feature::grid_sample), "tract_core_grid_sample", grid_sampler},
                      {any_target(), "tract_core_gather_elements", grid_sampler_gathered}}});
  r.same({"aten::affine_grid_generator"},
         {"matmul", "the positions of an image under an affine map", affine_grid});
  r.shapes(affine_grid_shapes, "affine_grid_generator");
  r.shapes(grid_sampler_shapes, "grid_sampler grid_sampler_2d grid_sampler_3d");
}

}  // namespace t2n::ops
