// SPDX-License-Identifier: Apache-2.0
// Boxes and pools (NNEF 1.0.5 §4.3.2, §4.3.3, §4.9.3).
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <algorithm>
#include <limits>

#include "src/diag/error.h"
#include "src/interp/kernels.h"
#include "src/interp/operands.h"
#include "src/interp/window.h"

namespace t2n::interp {
namespace {

/// tract's windows have entries for the first two axes, and ignore them.
Ints window_sizes(const KernelCall& call, const at::Tensor& x) {
  Ints sizes = call.ints("size");
  if (static_cast<int64_t>(sizes.size()) != x.dim())
    fail(cat("'size' has ", sizes.size(), " items for a tensor of rank ", x.dim()));
  if (call.is_tract()) std::fill_n(sizes.begin(), std::min<size_t>(2, sizes.size()), 1);
  return sizes;
}

void require_tract_border(const KernelCall& call) {
  if (!call.is_tract() || call.str("border") == "constant" || call.str("border") == "ignore")
    return;
  fail(cat("tract has no border ", quoted(call.str("border")), " here"));
}

Window pool_window(const KernelCall& call, const at::Tensor& x) {
  require_tract_border(call);
  return forward_window(call, x.sizes(), window_sizes(call, x));
}

Ints window_positions(const Window& window) {
  Ints out;
  for (const WindowAxis& axis : window) out.push_back(axis.smaller);
  return out;
}

int64_t window_volume(const Window& window) {
  int64_t out = 1;
  for (const WindowAxis& axis : window) out *= axis.size;
  return out;
}

/// The padding of 'ignore' adds 0 to a sum.
std::string summing_border(const KernelCall& call) {
  return call.str("border") == "ignore" ? "constant" : call.str("border");
}

at::Tensor window_sums(const Window& window, const at::Tensor& x, const std::string& border) {
  const at::Tensor padded = extended(x, paddings(window), border);
  at::Tensor sum = at::zeros(window_positions(window), x.options());
  for_each_entry(window, padded, [&](int64_t, at::Tensor entries) { sum += entries; });
  return sum;
}

at::Tensor normalized(const at::Tensor& sum, const at::Tensor& count) {
  if (!at::isFloatingType(sum.scalar_type())) return at::div(sum, count, "trunc");
  return sum / count;
}

/// The divisor of a sum: all entries of the window, or those inside the tensor.
at::Tensor entry_count(const KernelCall& call, const Window& window, const at::Tensor& x) {
  if (call.str("border") != "ignore") return at::scalar_tensor(window_volume(window), x.options());
  Ints shape;  // size 1 along axes where all positions are equal
  Window reduced = window;
  for (WindowAxis& axis : reduced) {
    if (axis.size == 1 && axis.before == 0 && axis.after == 0) axis = {.larger = 1, .smaller = 1};
    shape.push_back(axis.larger);
  }
  return window_sums(reduced, at::ones(shape, x.options()), "constant");
}

at::Tensor box(const KernelCall& call, const at::Tensor& input, bool normalize) {
  const at::Tensor x = widened(in_f32(input));
  const Window window = pool_window(call, x);
  const at::Tensor sum = window_sums(window, x, summing_border(call));
  if (!normalize) return sum.to(input.scalar_type());
  return normalized(sum, entry_count(call, window, x)).to(input.scalar_type());
}

Tensors box_kernel(const KernelCall& call) {
  return {box(call, call.tensor("input"), call.boolean("normalize"))};
}

Tensors avg_pool(const KernelCall& call) { return {box(call, call.tensor("input"), true)}; }

Tensors rms_pool(const KernelCall& call) {
  const at::Tensor x = call.tensor("input");
  return {at::sqrt(box(call, x * x, true))};
}

Tensors debox(const KernelCall& call) {
  const at::Tensor input = call.tensor("input");
  const at::Tensor x = in_f32(input);
  const Window window =
      reverse_window(call, x.sizes(), call.ints("size"), call.ints("output_shape"));
  const auto itself = [](int64_t, const at::Tensor& part) { return part; };
  at::Tensor sum = scatter_windows(window, x, call.str("border"), itself);
  if (!call.boolean("normalize")) return {sum.to(input.scalar_type())};
  if (call.str("border") == "ignore")
    sum = sum / scatter_windows(window, at::ones_like(x), "constant", itself);
  else
    sum = sum / window_volume(window);
  return {sum.to(input.scalar_type())};
}

/// Pads with the lowest value, so that padding is never the maximum.
at::Tensor with_lowest(const at::Tensor& x, const Window& window) {
  const double lowest = at::isFloatingType(x.scalar_type())
                            ? -std::numeric_limits<double>::infinity()
                            : static_cast<double>(std::numeric_limits<int64_t>::min());
  return extended(x, paddings(window), "constant", lowest);
}

struct Maxima {
  at::Tensor values;
  at::Tensor entries;  ///< in the window; the first of equal ones
};

/// The standard's 'constant' is 0; tract ignores the padding for every border.
Maxima maxima(const KernelCall& call, const Window& window, const at::Tensor& x) {
  const std::string& border = call.str("border");
  const bool ignores_padding = call.is_tract() || border == "ignore";
  const at::Tensor padded =
      ignores_padding ? with_lowest(x, window) : extended(x, paddings(window), border);
  Maxima out;
  for_each_entry(window, padded, [&](int64_t entry, at::Tensor entries) {
    if (entry == 0) {
      out = {entries.clone(), at::zeros_like(entries, at::kLong)};
      return;
    }
    const at::Tensor better = at::gt(entries, out.values);
    out.values = at::where(better, entries, out.values);
    out.entries.masked_fill_(better, entry);
  });
  return out;
}

at::Tensor comparable(const at::Tensor& x) {
  return at::isFloatingType(x.scalar_type()) ? x : x.to(at::kLong);
}

/// Numbers 0, 1, 2… along one axis of a tensor of that rank.
at::Tensor numbers(int64_t count, size_t axis, size_t rank) {
  Ints shape(rank, 1);
  shape[axis] = count;
  return at::arange(count, at::kLong).reshape(shape);
}

/// The row-major positions in the padded tensor of the selected entries; with `in_plane`, positions
/// in the tensor itself, over the axes after the second.
at::Tensor flat_positions(const Window& window, const at::Tensor& entries, bool in_plane) {
  at::Tensor flat = at::zeros_like(entries);
  int64_t inner_entries = 1;
  int64_t inner = 1;
  for (size_t at = window.size(); at-- > (in_plane ? 2 : 0);) {
    const WindowAxis& axis = window[at];
    const at::Tensor entry = at::remainder(at::div(entries, inner_entries, "floor"), axis.size);
    const at::Tensor begin = numbers(axis.smaller, at, window.size()) * axis.stride;
    flat += (begin + entry * axis.dilation - (in_plane ? axis.before : 0)) * inner;
    inner_entries *= axis.size;
    inner *= in_plane ? axis.larger : axis.before + axis.larger + axis.after;
  }
  return flat;
}

Tensors max_pool(const KernelCall& call) {
  const at::Tensor x = comparable(call.tensor("input"));
  const at::ScalarType type = call.tensor("input").scalar_type();
  return {maxima(call, pool_window(call, x), x).values.to(type)};
}

/// The standard counts within the window, tract within the plane.
Tensors max_pool_with_index(const KernelCall& call) {
  const at::Tensor x = comparable(call.tensor("input"));
  const at::ScalarType type = call.tensor("input").scalar_type();
  const Window window = pool_window(call, x);
  const Maxima best = maxima(call, window, x);
  const at::Tensor index =
      call.is_tract() ? flat_positions(window, best.entries, /*in_plane=*/true) : best.entries;
  return {best.values.to(type), index};
}

Tensors argmax_pool(const KernelCall& call) {
  const at::Tensor x = call.tensor("input");
  return {maxima(call, pool_window(call, x), x).entries};
}

/// Reads the entries that argmax_pool has found.
Tensors sample(const KernelCall& call) {
  const at::Tensor x = call.tensor("input");
  const at::Tensor index = call.tensor("index");
  const Window window = pool_window(call, x);
  if (index.sizes() != at::IntArrayRef(window_positions(window)))
    fail(cat("the index has the shape ", shape_text(index.sizes()), ", not ",
             shape_text(window_positions(window))));
  if (index.lt(0).any().item<bool>() || index.ge(window_volume(window)).any().item<bool>())
    fail("an index lies outside the window");
  const at::Tensor padded = extended(x, paddings(window), summing_border(call));
  return {at::take(padded, flat_positions(window, index, /*in_plane=*/false))};
}

/// Writes values to the positions that argmax_pool has found; values at one position are summed.
Tensors desample(const KernelCall& call) {
  const at::Tensor x = call.tensor("input");
  const at::Tensor index = call.tensor("index");
  if (index.sizes() != x.sizes()) fail("the index has another shape than the input");
  const Window window =
      reverse_window(call, x.sizes(), window_sizes(call, x), call.ints("output_shape"));
  return {scatter_windows(window, x, "constant", [&](int64_t entry, const at::Tensor& part) {
    return at::where(at::eq(index, entry), part, at::zeros_like(part));
  })};
}

}  // namespace

void register_pool(Kernels& kernels) {
  kernels.add("box", box_kernel);
  kernels.add("debox", debox);
  kernels.add("avg_pool", avg_pool);
  kernels.add("rms_pool", rms_pool);
  kernels.add("max_pool", max_pool);
  kernels.add("max_pool_with_index", max_pool_with_index);
  kernels.add("argmax_pool", argmax_pool);
  kernels.add("sample", sample);
  kernels.add("desample", desample);
}

}  // namespace t2n::interp
