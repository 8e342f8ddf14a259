// SPDX-License-Identifier: Apache-2.0
// Resampling of images: tract's resize, ONNX's, and grid_sample.
#include <ATen/Functions.h>

#include <cmath>

#include "src/interp/kernel.h"
#include "src/interp/kernels.h"
#include "src/interp/tract_support.h"

namespace t2n::interp {
namespace {

/// How the entries of a resized axis are computed.
struct Sampling {
  std::string coordinates;
  std::string interpolator;
  std::string nearest;
  double cubic = -0.75;
  bool exclude_outside = false;
  bool antialias = false;
};

Sampling sampling(const KernelCall& call) {
  return {call.str("coord_transformer"), call.str("interpolator"), call.str("nearest_mode")};
}

/// An axis: its sizes before and after, and their ratio.
struct Axis {
  int64_t size = 0;
  int64_t resized = 0;
  float scale = 1;
};

/// The positions of resized entries on the axis, in f32 as in tract: ties depend on it.
at::Tensor coordinates(const Sampling& sampling, const Axis& axis) {
  const at::Tensor x = at::arange(axis.resized, at::kFloat);
  const auto size = static_cast<float>(axis.size), resized = static_cast<float>(axis.resized);
  const at::Tensor centred = x.add(0.5).div(axis.scale);
  const std::string& kind = sampling.coordinates;
  if (kind == "half_pixel") return centred.sub(0.5);
  if (kind == "asymmetric") return x.div(axis.scale);
  if (kind == "tf_half_pixel_for_nn") return centred;
  if (kind == "pytorch_half_pixel")
    return axis.resized > 1 ? centred.sub(0.5) : at::full_like(x, -0.5);
  if (kind == "align_corners") {
    const float width = axis.scale * size;
    return width == 1 ? at::zeros_like(x) : x.mul(size - 1).div(width - 1);
  }
  if (kind == "half_pixel_symmetric")
    return centred.sub(0.5).add(size / 2 * (1 - resized / (axis.scale * size)));
  fail(cat("there is no coord_transformer ", quoted(kind)));
}

at::Tensor cubic_kernel(const at::Tensor& distance, double a) {
  const at::Tensor s = distance.abs();
  const at::Tensor near = s.mul(a + 2).sub(a + 3).mul(s).mul(s).add(1);
  const at::Tensor far = s.sub(5).mul(s).add(8).mul(s).sub(4).mul(a);
  return at::where(s.le(1), near, at::where(s.le(2), far, at::zeros_like(s)));
}

/// Whether the right neighbour is nearer, at a fraction in (0, 1] of the distance to it.
at::Tensor prefers_right(const std::string& mode, const at::Tensor& fraction) {
  const at::Tensor at_right = fraction.eq(1);
  if (mode == "floor") return at_right;
  if (mode == "ceil") return at::ones_like(at_right);
  if (mode == "round_prefer_floor") return fraction.gt(0.5);
  if (mode == "round_prefer_ceil") return fraction.ge(0.5);
  fail(cat("there is no nearest_mode ", quoted(mode)));
}

/// The number of entries that a resized one is computed from, in a window around its position.
int64_t window_size(const Sampling& sampling, float scale) {
  const int64_t support = sampling.interpolator == "cubic" ? 2 : 1;
  if (!sampling.antialias || scale >= 1 || sampling.interpolator == "nearest") return 2 * support;
  const auto first = static_cast<int64_t>(std::floor(static_cast<float>(-support) / scale)) + 1;
  return 2 - 2 * first;
}

/// Weights [window, resized] of the entries at `offsets` from the one at or before the position.
at::Tensor weights(const Sampling& sampling, float scale, const at::Tensor& offsets,
                   const at::Tensor& fraction) {
  if (sampling.interpolator == "nearest") {
    const at::Tensor right = prefers_right(sampling.nearest, fraction).to(at::kFloat);
    return at::stack({right.neg().add(1), right});
  }
  const float segment = sampling.antialias ? std::min(scale, 1.0F) : 1.0F;
  const at::Tensor distance = offsets.sub(fraction).mul(segment);
  at::Tensor out;
  if (sampling.interpolator == "linear") {
    out = distance.abs().neg().add(1).clamp(0, 1);
  } else if (sampling.interpolator == "cubic") {
    out = cubic_kernel(distance, sampling.cubic);
  } else {
    fail(cat("there is no interpolator ", quoted(sampling.interpolator)));
  }
  return segment == 1 ? out : out.div(out.sum(0));
}

/// Resamples one axis of `x`, in f32.
at::Tensor resampled_axis(const at::Tensor& x, int64_t dim, const Sampling& sampling,
                          const Axis& axis) {
  const at::Tensor position = coordinates(sampling, axis);
  const at::Tensor cell = position.ceil().sub(1), fraction = position.sub(cell);
  const int64_t window = window_size(sampling, axis.scale);
  const at::Tensor offsets = at::arange(1 - window / 2, 1 + window / 2, at::kFloat).unsqueeze(1);
  at::Tensor kernel = weights(sampling, axis.scale, offsets, fraction);
  const at::Tensor indices = cell.add(offsets).to(at::kLong);
  if (sampling.exclude_outside) {
    kernel = kernel.mul(indices.ge(0).logical_and(indices.lt(axis.size)));
    kernel = kernel.div(kernel.sum(0));
  }
  const at::Tensor taken = indices.clamp(0, axis.size - 1);
  Ints along(static_cast<size_t>(x.dim()), 1), shape = x.sizes().vec();
  along[dim] = shape[dim] = axis.resized;
  at::Tensor out = at::zeros(shape, at::kFloat);
  for (int64_t i = 0; i < window; ++i) {
    const at::Tensor weight = kernel[i].reshape(along);
    // Entries without weight may be infinite.
    out =
        out.add(at::where(weight.eq(0), at::zeros({}), x.index_select(dim, taken[i]).mul(weight)));
  }
  return out;
}

at::Tensor resized(const at::Tensor& input, const Sampling& sampling, const Checked<Axis>& axes) {
  return through_float(input, [&](at::Tensor x) {
    for (size_t i = 0; i < axes.size(); ++i)
      if (axes[i].size != axes[i].resized || axes[i].scale != 1)
        x = resampled_axis(x, static_cast<int64_t>(i), sampling, axes[i]);
    return x;
  });
}

void require_rank(const at::Tensor& input, const at::Tensor& scales) {
  if (scales.dim() != 1 || scales.size(0) != input.dim())
    fail(cat("there are ", scales.numel(), " sizes or scales for ", input.dim(), " axes"));
}

Checked<Axis> scaled_axes(const at::Tensor& input, const at::Tensor& scales) {
  require_rank(input, scales);
  Checked<Axis> out;
  for (int64_t i = 0; i < input.dim(); ++i) {
    const float scale = scales[i].to(at::kFloat).item<float>();
    const auto resized = static_cast<int64_t>(static_cast<float>(input.size(i)) * scale);
    out.push_back({input.size(i), resized, scale});
  }
  return out;
}

Checked<Axis> sized_axes(const at::Tensor& input, const at::Tensor& sizes) {
  require_rank(input, sizes);
  Checked<Axis> out;
  for (int64_t i = 0; i < input.dim(); ++i) {
    const auto size = sizes[i].item<int64_t>();
    out.push_back(
        {input.size(i), size, static_cast<float>(size) / static_cast<float>(input.size(i))});
  }
  return out;
}

Tensors resize(const KernelCall& call) {
  const at::Tensor input = half_or_float(call, "input");
  if (call.has("scales") == call.has("sizes")) fail("either scales or sizes must be given");
  const Sampling method = sampling(call);
  if (method.nearest != "floor" && method.nearest != "round_prefer_ceil")
    fail(cat("there is no nearest_mode ", quoted(method.nearest)));
  return {resized(input, method,
                  call.has("scales") ? scaled_axes(input, call.tensor("scales"))
                                     : sized_axes(input, call.tensor("sizes")))};
}

Tensors onnx_resize(const KernelCall& call) {
  const at::Tensor input = half_or_float(call, "input");
  Sampling method = sampling(call);
  method.cubic = call.f64("cubic_coeff_a");
  method.exclude_outside = call.boolean("exclude_outside");
  method.antialias = call.boolean("antialias");
  if (call.has("roi")) fail("regions of interest are not supported");
  return {resized(input, method, scaled_axes(input, call.tensor("scales")))};
}

int64_t index_of(const std::string& name, std::initializer_list<const char*> names) {
  int64_t i = 0;
  for (const char* each : names) {
    if (name == each) return i;
    ++i;
  }
  fail(cat("grid_sample does not support ", quoted(name)));
}

/// torch's operation, which tract follows, in f32; images of one axis get a second one of size 1.
Tensors grid_sample(const KernelCall& call) {
  const at::Tensor input = call.tensor("input");
  require_dtype(input, {at::kHalf, at::kFloat, at::kDouble});
  const at::Tensor x = input.to(at::kFloat), grid = call.tensor("grid").to(at::kFloat);
  const int64_t mode = index_of(call.str("mode"), {"bilinear", "nearest", "bicubic"});
  const int64_t padding = index_of(call.str("padding_mode"), {"zeros", "border", "reflection"});
  const bool align = call.boolean("align_corners");
  if (x.dim() != 3)
    return {at::grid_sampler(x, grid, mode, padding, align).to(input.scalar_type())};
  const at::Tensor indices = at::cat({grid, at::zeros_like(grid)}, -1).unsqueeze(1);
  const at::Tensor out = at::grid_sampler(x.unsqueeze(2), indices, mode, padding, align);
  return {out.squeeze(2).to(input.scalar_type())};
}

}  // namespace

void register_tract_resize(Kernels& kernels) {
  kernels.add("tract_core_resize", resize);
  kernels.add("tract_onnx_resize", onnx_resize);
  for (const char* name : {"tract_core_grid_sample", "tract_onnx_grid_sample"})
    kernels.add(name, grid_sample);
}

}  // namespace t2n::interp
