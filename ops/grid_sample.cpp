// Sampling at computed positions, and the affine grids of such positions.
#include "ops/arith.h"
#include "ops/product.h"
#include "ops/registry.h"

namespace t2n::ops {
namespace {

constexpr const char* kModes[] = {"bilinear", "nearest", "bicubic"};
constexpr const char* kPaddings[] = {"zeros", "border", "reflection"};

void grid_sampler(const OpView& op, Emitter& out) {
  const auto mode = static_cast<size_t>(op.i64("interpolation_mode"));
  const auto padding = static_cast<size_t>(op.i64("padding_mode"));
  if (mode == 2 && padding == 1)
    op.refuse("padding_mode", "tract's bicubic sampling differs from torch's at the border",
              "use padding_mode='reflection' or 'zeros', or mode='bilinear'");
  const Ref x = widened(out, op.tensor("input"));
  const Ref y = out.call(op.nnef(), {x, widened(out, op.tensor("grid"))},
                         {{"mode", kModes[mode]},
                          {"padding_mode", kPaddings[padding]},
                          {"align_corners", op.boolean("align_corners")}},
                         out.dtype(x), op.shape());
  out.result(out.cast(y, op.dtype()));
}

/// Position i of n in [-1, 1]: from border to border, or between the centres of the outer entries.
double position(int64_t i, int64_t n, bool align_corners) {
  if (n <= 1) return 0;
  const double last = static_cast<double>(n - 1);
  const double at = -1 + 2 * static_cast<double>(i) / last;
  return align_corners ? at : at * last / static_cast<double>(n);
}

/// Rows (x, y, 1) or (x, y, z, 1) of all places, in row-major order of `sizes`.
std::vector<double> base_grid(const Ints& sizes, bool align_corners) {
  std::vector<double> out;
  const int64_t count = ir::element_count(sizes);
  for (int64_t place = 0; place < count; ++place) {
    int64_t rest = place;
    for (size_t axis = sizes.size(); axis-- > 0; rest /= sizes[axis])
      out.push_back(position(rest % sizes[axis], sizes[axis], align_corners));
    out.push_back(1);
  }
  return out;
}

/// theta [N, d, d + 1] applied to each place of an image of `size` [N, C, spatial…].
void affine_grid(const OpView& op, Emitter& out) {
  const Ints size = op.ints("size");
  const Ints spatial(size.begin() + 2, size.end());
  const auto dims = static_cast<int64_t>(spatial.size());
  const int64_t count = ir::element_count(spatial);
  const Ref theta = widened(out, op.tensor("theta"));
  const std::vector<double> rows = base_grid(spatial, op.boolean("align_corners"));
  const Ref base =
      out.constant(ir::tensor_of(out.dtype(theta), {1, count, dims + 1}, rows), "grid");
  const Ref y = product_transposed(op, out, base, theta);
  out.result(out.cast(out.reshape(y, op.shape()), op.dtype()));
}

}  // namespace

void register_grid_sample(Registry& r) {
  r.add({.op = "aten::grid_sampler",
         .also = {"aten::grid_sampler_2d", "aten::grid_sampler_3d"},
         .doc = "input at the positions of grid, in [-1, 1] along each axis",
         .variants = {{has(Feature::grid_sample), "tract_core_grid_sample", grid_sampler}},
         .limits = "bicubic with padding_mode='border' is refused"});
  r.add({.op = "aten::affine_grid_generator",
         .doc = "the positions of an image under an affine map",
         .variants = {{any_target(), "matmul", affine_grid}}});
}

}  // namespace t2n::ops
