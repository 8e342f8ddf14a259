// Shapes of reductions, normalisations, products, images and regions of interest.
#include <algorithm>
#include <array>

#include "src/nnef_ops/shape_call.h"

namespace t2n::spec {
namespace {

constexpr std::array<std::string_view, 3> kMethods = {"symmetric", "asymmetric", "aligned"};
Ints reduced(const ShapeCall& call) {
  Ints out = call.shape("input");
  for (const int64_t axis : call.axes("axes", out.size())) out[axis] = 1;
  return out;
}

Shapes reduce(const ShapeCall& call) { return {reduced(call)}; }

Shapes moments(const ShapeCall& call) {
  const Ints out = reduced(call);
  return {out, out};
}

Shapes along_axes(const ShapeCall& call) {
  const Ints out = call.first_shape();
  call.axes("axes", out.size());
  return {out};
}

Shapes local(const ShapeCall& call) {
  const Ints out = call.shape("input");
  call.positive("size", out.size());
  return {out};
}

/// Extents of axes 2 and higher; a list has one for each.
size_t spatial_axes(const ShapeCall& call, const Ints& input) {
  call.require(input.size() >= 3, "the input has the shape ", shape_text(input),
               ", and needs a batch, channels and at least one axis more");
  return input.size() - 2;
}

Shapes downsample(const ShapeCall& call) {
  Ints out = call.shape("input");
  const Ints factor = call.positive("factor", spatial_axes(call, out));
  for (size_t i = 2; i < out.size(); ++i) {
    call.require(out[i] % factor[i - 2] == 0, "the extent ", out[i], " of axis ", i,
                 " is not divisible by ", factor[i - 2]);
    out[i] /= factor[i - 2];
  }
  return {out};
}

Shapes upsample(const ShapeCall& call) {
  Ints out = call.shape("input");
  const Ints factor = call.positive("factor", spatial_axes(call, out));
  for (size_t i = 2; i < out.size(); ++i) out[i] = product(out[i], factor[i - 2]);
  return {out};
}

Shapes multilinear_upsample(const ShapeCall& call) {
  call.one_of("method", kMethods);
  call.one_of("border", kFilledBorders);
  return upsample(call);
}

/// §4.6 requires batch indices as a column; the reference reader requires a list.
Shapes regions(const ShapeCall& call) {
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

Shapes roi_resample(const ShapeCall& call) {
  call.one_of("method", kMethods);
  return regions(call);
}

Shapes roi_align(const ShapeCall& call) {
  call.one_of("resize_method", kMethods);
  call.positive("sampling_rate", spatial_axes(call, call.shape("input")));
  return regions(call);
}

Shapes matmul(const ShapeCall& call) {
  Ints a = call.shape("A");
  Ints b = call.shape("B");
  const size_t rank = a.size();
  call.require(rank == b.size() && rank >= 2, "the shapes are ", shape_text(a), " and ",
               shape_text(b), ": their ranks must be equal, and 2 or more");
  if (call.flag("transposeA")) std::swap(a[rank - 1], a[rank - 2]);
  if (call.flag("transposeB")) std::swap(b[rank - 1], b[rank - 2]);
  call.require(a[rank - 1] == b[rank - 2], "rows of ", a[rank - 1], " do not match columns of ",
               b[rank - 2]);
  const auto batch = static_cast<ptrdiff_t>(rank - 2);
  Ints out =
      broadcast(call, Ints(a.begin(), a.begin() + batch), Ints(b.begin(), b.begin() + batch));
  out.push_back(a[rank - 2]);
  out.push_back(b[rank - 1]);
  return {out};
}

Shapes linear(const ShapeCall& call) {
  const Ints input = call.shape("input");
  const Ints filter = call.shape("filter");
  const Ints bias = call.shape("bias");
  call.require(input.size() == 2 && filter.size() == 2, "the shapes are ", shape_text(input),
               " and ", shape_text(filter), ": both ranks must be 2");
  call.require(input[1] == filter[1], "filters over ", filter[1],
               " channels do not fit an input of ", input[1], " channels");
  call.require(broadcasts_to(bias, {1, filter[0]}), "'bias' has the shape ", shape_text(bias),
               ", and can be [1,", filter[0], "]");
  return {{input[0], filter[0]}};
}

constexpr std::array kOtherRows = {ShapeRow{"sum_reduce", reduce},
                                   ShapeRow{"max_reduce", reduce},
                                   ShapeRow{"min_reduce", reduce},
                                   ShapeRow{"mean_reduce", reduce},
                                   ShapeRow{"argmax_reduce", reduce},
                                   ShapeRow{"argmin_reduce", reduce},
                                   ShapeRow{"all_reduce", reduce},
                                   ShapeRow{"any_reduce", reduce},
                                   ShapeRow{"moments", moments},
                                   ShapeRow{"softmax", along_axes},
                                   ShapeRow{"l1_normalization", along_axes},
                                   ShapeRow{"l2_normalization", along_axes},
                                   ShapeRow{"local_response_normalization", local},
                                   ShapeRow{"local_mean_normalization", local},
                                   ShapeRow{"local_variance_normalization", local},
                                   ShapeRow{"local_contrast_normalization", local},
                                   ShapeRow{"nearest_downsample", downsample},
                                   ShapeRow{"area_downsample", downsample},
                                   ShapeRow{"nearest_upsample", upsample},
                                   ShapeRow{"multilinear_upsample", multilinear_upsample},
                                   ShapeRow{"avg_roi_pool", regions},
                                   ShapeRow{"max_roi_pool", regions},
                                   ShapeRow{"roi_resample", roi_resample},
                                   ShapeRow{"avg_roi_align", roi_align},
                                   ShapeRow{"max_roi_align", roi_align},
                                   ShapeRow{"matmul", matmul},
                                   ShapeRow{"linear", linear}};

}  // namespace

std::span<const ShapeRow> other_shapes() { return kOtherRows; }

}  // namespace t2n::spec
