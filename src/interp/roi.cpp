// SPDX-License-Identifier: Apache-2.0
// Regions of interest (NNEF 1.0.5 §4.6).
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "src/diag/error.h"
#include "src/interp/kernels.h"
#include "src/interp/operands.h"
#include "src/interp/resample.h"

namespace t2n::interp {
namespace {

/// A region: an image of the batch, and the range on each spatial axis.
struct Region {
  at::Tensor image;  ///< [1, C, …]
  Checked<double> begin;
  Checked<double> end;
};

Region region(const KernelCall& call, const at::Tensor& x, int64_t number) {
  const at::Tensor row = call.tensor("rois")[number].to(at::kDouble);
  const int64_t axes = x.dim() - 2;
  if (row.numel() != 2 * axes)
    fail(cat("a region of ", row.numel(), " numbers for ", axes, " axes"));
  const auto batch = call.tensor("batch_index").reshape({-1})[number].item<int64_t>();
  if (batch < 0 || batch >= x.size(0)) fail(cat("there is no image ", batch));
  Region out;
  out.image = x.slice(0, batch, batch + 1);
  for (int64_t at = 0; at < axes; ++at) {
    out.begin.push_back(row[at].item<double>());
    out.end.push_back(row[axes + at].item<double>());
  }
  return out;
}

at::Tensor for_each_region(const KernelCall& call,
                           const std::function<at::Tensor(const Region&)>& compute) {
  const at::Tensor x = call.tensor("input");
  const at::Tensor rois = call.tensor("rois");
  if (rois.dim() != 2 || call.tensor("batch_index").numel() != rois.size(0))
    fail("the regions are rows, with an image for each");
  Tensors out;
  for (int64_t at = 0; at < rois.size(0); ++at) out.push_back(compute(region(call, x, at)));
  return at::cat(out);
}

using Reduce = at::Tensor (*)(const at::Tensor& cell, int64_t axis);

at::Tensor mean_along(const at::Tensor& cell, int64_t axis) {
  return at::mean(cell, {axis}, /*keepdim=*/true);
}
at::Tensor max_along(const at::Tensor& cell, int64_t axis) {
  return at::amax(cell, {axis}, /*keepdim=*/true);
}

/// Cells along one axis. They have length ceil(length / count) and start every floor(length /
/// count) entries. The specification's start "c + i*s" would skip entries; this uses "begin + i*s"
/// instead.
at::Tensor pooled_axis(const at::Tensor& x, int64_t axis, double begin, double end, int64_t count,
                       Reduce reduce) {
  if (count < 1) fail(cat("an output of ", count, " cells"));
  const auto first = static_cast<int64_t>(std::floor(begin + 0.5));
  const auto length = static_cast<int64_t>(std::floor(end + 0.5)) - first;
  const int64_t size = (length + count - 1) / count;
  const int64_t stride = length / count;
  if (length < 1 || first < 0 || first + length > x.size(axis))
    fail(cat("a region from ", first, " to ", first + length, " of ", x.size(axis)));
  Tensors cells;
  for (int64_t at = 0; at < count; ++at) {
    const int64_t start = first + at * stride;
    cells.push_back(reduce(x.slice(axis, start, start + std::max<int64_t>(size, 1)), axis));
  }
  return at::cat(cells, axis);
}

template <Reduce reduce>
Tensors roi_pool(const KernelCall& call) {
  const Ints sizes = call.ints("output_size");
  return {for_each_region(call, [&](const Region& region) {
    at::Tensor x = region.image;
    for (size_t at = 0; at < sizes.size(); ++at)
      x = pooled_axis(x, static_cast<int64_t>(at) + 2, region.begin[at], region.end[at], sizes[at],
                      reduce);
    return x;
  })};
}

/// `count` positions in a region, distributed as upsampling does over an entire axis.
Checked<double> region_positions(double begin, double end, int64_t count, const std::string& method,
                                 int64_t size) {
  Checked<double> out;
  const double length = end - begin;
  for (int64_t at = 0; at < count; ++at) {
    const auto number = static_cast<double>(at);
    const auto all = static_cast<double>(count);
    double position = 0;
    if (method == "symmetric")
      position = begin + (number + 0.5) * length / all - 0.5;
    else if (method == "asymmetric")
      position = begin + number * length / all;
    else if (method == "aligned")
      position = count == 1 ? begin : begin + number * (length - 1) / (all - 1);
    else
      fail(cat("there is no method ", quoted(method)));
    out.push_back(std::clamp(position, -1.0, static_cast<double>(size)));
  }
  return out;
}

at::Tensor resampled_region(const KernelCall& call, const Ints& sizes, const std::string& method) {
  return for_each_region(call, [&](const Region& region) {
    at::Tensor x = region.image;
    for (size_t at = 0; at < sizes.size(); ++at) {
      const auto axis = static_cast<int64_t>(at) + 2;
      x = interpolated(
          x, axis,
          region_positions(region.begin[at], region.end[at], sizes[at], method, x.size(axis)),
          "replicate");
    }
    return x;
  });
}

Tensors roi_resample(const KernelCall& call) {
  return {resampled_region(call, call.ints("output_size"), call.str("method"))};
}

/// The region is resampled to `sampling_rate` times the size, then pooled.
template <Reduce reduce>
Tensors roi_align(const KernelCall& call) {
  const Ints output = call.ints("output_size");
  const Ints rate = call.ints("sampling_rate");
  if (output.size() != rate.size()) fail("'sampling_rate' is not as long as 'output_size'");
  Ints sizes = output;
  for (size_t at = 0; at < sizes.size(); ++at) sizes[at] *= rate[at];
  at::Tensor x = resampled_region(call, sizes, call.str("resize_method"));
  for (size_t at = 0; at < sizes.size(); ++at) {
    const auto axis = static_cast<int64_t>(at) + 2;
    Ints split = x.sizes().vec();
    split[at + 2] = output[at];
    split.insert(split.begin() + axis + 1, rate[at]);
    x = reduce(x.reshape(split), axis + 1).squeeze(axis + 1);
  }
  return {x};
}

}  // namespace

void register_roi(Kernels& kernels) {
  kernels.add("avg_roi_pool", roi_pool<mean_along>);
  kernels.add("max_roi_pool", roi_pool<max_along>);
  kernels.add("roi_resample", roi_resample);
  kernels.add("avg_roi_align", roi_align<mean_along>);
  kernels.add("max_roi_align", roi_align<max_along>);
}

}  // namespace t2n::interp
