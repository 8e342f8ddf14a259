// SPDX-License-Identifier: Apache-2.0
// Images of other sizes, and regions of interest.
#include <array>

#include "src/nnef_ops/book.h"
#include "src/nnef_ops/shape_call.h"

namespace t2n::nnef_ops {
namespace {

constexpr std::array<std::string_view, 3> kMethods = {"symmetric", "asymmetric", "aligned"};

/// Extents of axes 2 and higher; a list has one for each.
size_t spatial_axes(const ShapeCall& call, const Ints& input) {
  call.require(input.size() >= 3, "the input has the shape ", shape_text(input),
               ", and needs a batch, channels and at least one axis more");
  return input.size() - 2;
}

Shapes downsample_shape(const ShapeCall& call) {
  Ints out = call.shape("input");
  const Ints factor = call.positive("factor", spatial_axes(call, out));
  for (size_t i = 2; i < out.size(); ++i) {
    call.require(out[i] % factor[i - 2] == 0, "the extent ", out[i], " of axis ", i,
                 " is not divisible by ", factor[i - 2]);
    out[i] /= factor[i - 2];
  }
  return {out};
}

Shapes upsample_shape(const ShapeCall& call) {
  Ints out = call.shape("input");
  const Ints factor = call.positive("factor", spatial_axes(call, out));
  for (size_t i = 2; i < out.size(); ++i) out[i] = product(out[i], factor[i - 2]);
  return {out};
}

Shapes multilinear_upsample_shape(const ShapeCall& call) {
  call.one_of("method", kMethods);
  call.one_of("border", kFilledBorders);
  return upsample_shape(call);
}

/// §4.6 requires batch indices as a column; the reference reader requires a list.
Shapes regions_shape(const ShapeCall& call) {
  const Ints input = call.shape("input");
  const size_t spatial = spatial_axes(call, input);
  const Ints rois = call.shape("rois");
  const Ints batch = call.shape("batch_index");
  call.require(rois.size() == 2 && rois[1] == static_cast<int64_t>(2 * spatial),
               "'rois' has the shape ", shape_text(rois), ", and needs a row of ", 2 * spatial,
               " for each region");
  call.require(batch == Ints{rois[0], 1} || batch == Ints{rois[0]}, "'batch_index' has the shape ",
               shape_text(batch), ", and there are ", rois[0], " regions");
  Ints out = {rois[0], input[1]};
  for (const int64_t size : call.positive("output_size", spatial)) out.push_back(size);
  return {out};
}

Shapes roi_resample_shape(const ShapeCall& call) {
  call.one_of("method", kMethods);
  return regions_shape(call);
}

Shapes roi_align_shape(const ShapeCall& call) {
  call.one_of("resize_method", kMethods);
  call.positive("sampling_rate", spatial_axes(call, call.shape("input")));
  return regions_shape(call);
}

Shapes resize_shape(const ShapeCall& call) {
  const Ints input = call.shape("input");
  const auto sizes = call.numbers_of("sizes");
  return sizes && sizes->size() == input.size() ? Shapes{*sizes} : Shapes{};
}

Shapes grid_sample_shape(const ShapeCall& call) {
  const Ints input = call.shape("input"), grid = call.shape("grid");
  if (input.size() < 3 || grid.size() != input.size()) return {};
  Ints out = {input[0], input[1]};
  out.insert(out.end(), grid.begin() + 1, grid.end() - 1);
  return {out};
}

}  // namespace

void add_resample(Book& book) {
  book.add("nearest_downsample area_downsample", {downsample_shape});
  book.add("nearest_upsample", {upsample_shape});
  book.add("multilinear_upsample", {multilinear_upsample_shape});
  book.add("avg_roi_pool max_roi_pool", {regions_shape});
  book.add("roi_resample", {roi_resample_shape});
  book.add("avg_roi_align max_roi_align", {roi_align_shape});
  book.add("tract_core_resize", {nullptr, resize_shape});
  book.add("tract_core_grid_sample", {nullptr, grid_sample_shape});
  book.add("tract_core_downsample tract_onnx_resize tract_onnx_grid_sample", {});
}

}  // namespace t2n::nnef_ops
