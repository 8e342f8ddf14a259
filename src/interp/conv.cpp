// SPDX-License-Identifier: Apache-2.0
// Convolutions (NNEF 1.0.5 §4.3.1, §4.9.2).
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <algorithm>

#include "src/diag/error.h"
#include "src/interp/kernels.h"
#include "src/interp/operands.h"
#include "src/interp/window.h"

namespace t2n::interp {
namespace {

/// The parts of a convolution except its window.
struct Parts {
  at::Tensor input;
  at::Tensor filter;
  at::Tensor bias;  ///< undefined: none
  int64_t groups = 1;
  std::string border;
};

/// f16 is summed in f32. tract sums integers in i32; torch cannot convolve these, and f64
/// represents all of the sums exactly.
at::Tensor summable(const at::Tensor& x) {
  return at::isFloatingType(x.scalar_type()) ? in_f32(x) : x.to(at::kDouble);
}

Ints spatial(at::IntArrayRef sizes) {
  return sizes.size() < 2 ? Ints{} : Ints(sizes.begin() + 2, sizes.end());
}

/// [O], [1,O] or a single value as [O].
at::Tensor bias_vector(const at::Tensor& bias, int64_t channels, int64_t rank) {
  if (bias.numel() != 1 && bias.numel() != channels)
    fail(cat("a bias of ", shape_text(bias.sizes()), " for ", channels, " channels"));
  Ints shape(static_cast<size_t>(rank), 1);
  shape[1] = bias.numel();
  return bias.reshape(shape);
}

void require_filter(const Parts& parts, int64_t channels_of_filter) {
  if (channels_of_filter != parts.input.size(1))
    fail(cat("a filter for ", channels_of_filter, " channels, and an input of ",
             parts.input.size(1)));
}

Parts parts_of(const KernelCall& call, std::string_view filter, std::string_view bias) {
  Parts out;
  out.input = call.tensor("input");
  out.filter = call.tensor(filter);
  out.groups = call.i64("groups");
  out.border = call.str("border");
  if (!bias.empty()) out.bias = call.tensor(bias);
  if (out.filter.dim() != out.input.dim())
    fail(cat("a filter of rank ", out.filter.dim(), " for an input of rank ", out.input.dim()));
  if (out.input.dim() < 3) fail("the input has no spatial axis");
  if (call.is_tract() && out.border != "constant")
    fail(cat("tract has no border ", quoted(out.border), " here"));
  return out;
}

at::Tensor finished(const Parts& parts, at::Tensor sum) {
  if (parts.bias.defined())
    sum = sum + bias_vector(parts.bias, sum.size(1), sum.dim()).to(sum.scalar_type());
  const bool is_real = at::isFloatingType(parts.input.scalar_type());
  return sum.to(is_real ? parts.input.scalar_type() : at::kInt);
}

Ints spatial_values(const Window& window, int64_t WindowAxis::*field) {
  Ints out;
  for (size_t at = 2; at < window.size(); ++at) out.push_back(window[at].*field);
  return out;
}

/// torch itself only pads with zeros, equally on both sides.
bool torch_pads(const Parts& parts, const Window& window) {
  return parts.border == "constant" &&
         std::all_of(window.begin(), window.end(), [](const WindowAxis& axis) {
           return axis.before == axis.after && axis.before >= 0;
         });
}

at::Tensor correlated(const Parts& parts, const Window& window, int64_t groups) {
  const bool inside = torch_pads(parts, window);
  const Ints none(window.size() - 2, 0);
  const at::Tensor x =
      summable(inside ? parts.input : extended(parts.input, paddings(window), parts.border));
  return at::convolution(x, summable(parts.filter).to(x.scalar_type()), {},
                         spatial_values(window, &WindowAxis::stride),
                         inside ? spatial_values(window, &WindowAxis::before) : none,
                         spatial_values(window, &WindowAxis::dilation),
                         /*transposed=*/false, none, groups);
}

at::Tensor conv(const Parts& parts, const Window& window) {
  // One group for each channel: of the input in the standard, of the filter in tract.
  const int64_t groups = parts.groups == 0 ? parts.input.size(1) : parts.groups;
  require_filter(parts, parts.filter.size(1) * groups);
  return finished(parts, correlated(parts, window, groups));
}

Tensors conv_kernel(const KernelCall& call) {
  const Parts parts = parts_of(call, "filter", "bias");
  return {conv(parts, forward_window(call, parts.input.sizes(), spatial(parts.filter.sizes())))};
}

/// The larger space, before its paddings are cut off.
at::Tensor transposed(const at::Tensor& input, const at::Tensor& filter, const Window& window,
                      int64_t groups) {
  const Ints none(window.size() - 2, 0);
  const at::Tensor x = summable(input);
  return at::convolution(
      x, summable(filter).to(x.scalar_type()), {}, spatial_values(window, &WindowAxis::stride),
      none, spatial_values(window, &WindowAxis::dilation), /*transposed=*/true, none, groups);
}

/// Extends the input beyond its edges according to the border, as far as it affects the output.
at::Tensor deconv(const Parts& parts, const Window& window, int64_t groups) {
  const bool is_extended = parts.border != "constant";
  Padding around;
  Padding crop;
  for (const WindowAxis& axis : window) {
    const int64_t more =
        is_extended && axis.size > 1 ? (axis.extent() + axis.stride - 1) / axis.stride : 0;
    const int64_t full = (axis.smaller + 2 * more - 1) * axis.stride + axis.extent();
    const int64_t begin = more * axis.stride + axis.before;
    around.emplace_back(more, more);
    crop.emplace_back(-begin, axis.larger + begin - full);
  }
  crop[0] = crop[1] = {0, 0};
  const at::Tensor input = extended(parts.input, around, parts.border);
  const at::Tensor sum = transposed(input, parts.filter, window, groups);
  return finished(parts, extended(sum, crop, "constant"));
}

/// tract's filter is [O, I/groups, …], the standard's (and torch's) [I, O/groups, …].
at::Tensor standard_filter(const at::Tensor& filter, int64_t groups) {
  Ints split = filter.sizes().vec();
  if (groups < 1 || split[0] % groups != 0)
    fail(cat("a filter of ", split[0], " for ", groups, " groups"));
  split[0] /= groups;
  split.insert(split.begin(), groups);
  return filter.reshape(split).transpose(1, 2).flatten(0, 1);
}

/// tract expects sizes of the spatial axes; it ignores a longer list.
Ints output_sizes(const KernelCall& call, int64_t rank) {
  const Ints shape = call.ints("output_shape");
  if (shape.empty()) return {};
  const auto count = static_cast<int64_t>(shape.size());
  if (call.is_tract()) return count == rank - 2 ? shape : Ints{};
  if (count != rank) fail(cat("'output_shape' has ", count, " items for rank ", rank));
  return {shape.begin() + 2, shape.end()};
}

Tensors deconv_kernel(const KernelCall& call) {
  Parts parts = parts_of(call, "filter", "bias");
  const bool is_tract = call.is_tract();
  int64_t groups = parts.groups;
  if (groups == 0) groups = is_tract ? parts.filter.size(0) : parts.input.size(1);
  if (is_tract) parts.filter = standard_filter(parts.filter, groups);
  require_filter(parts, parts.filter.size(0));
  const Ints sizes = spatial(parts.filter.sizes());
  const Window window =
      reverse_window(call, parts.input.sizes(), sizes, output_sizes(call, parts.input.dim()));
  return {deconv(parts, window, groups)};
}

/// A window of one entry that moves by 1.
Window point_window(at::IntArrayRef shape) {
  Window window(shape.size());
  for (size_t at = 0; at < shape.size(); ++at) window[at].larger = window[at].smaller = shape[at];
  return window;
}

Tensors separable_conv(const KernelCall& call) {
  Parts plane = parts_of(call, "plane_filter", "");
  plane.groups = 0;
  const Window window = forward_window(call, plane.input.sizes(), spatial(plane.filter.sizes()));
  Parts point = parts_of(call, "point_filter", "bias");
  point.input = conv(plane, window);
  return {conv(point, point_window(point.input.sizes()))};
}

Tensors separable_deconv(const KernelCall& call) {
  Parts point = parts_of(call, "point_filter", "");
  if (point.groups == 0) point.groups = point.input.size(1);
  Parts plane = parts_of(call, "plane_filter", "bias");
  plane.input = deconv(point, point_window(point.input.sizes()), point.groups);
  const Window window = reverse_window(call, plane.input.sizes(), spatial(plane.filter.sizes()),
                                       output_sizes(call, plane.input.dim()));
  return {deconv(plane, window, plane.input.size(1))};
}

}  // namespace

void register_conv(Kernels& kernels) {
  kernels.add("conv", conv_kernel);
  kernels.add("deconv", deconv_kernel);
  kernels.add("separable_conv", separable_conv);
  kernels.add("separable_deconv", separable_deconv);
}

}  // namespace t2n::interp
