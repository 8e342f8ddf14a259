// SPDX-License-Identifier: Apache-2.0
// Parts of tensors, and tensors inside larger ones (NNEF 1.0.5 §4.5.4 to §4.5.7).
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <algorithm>

#include "src/diag/error.h"
#include "src/interp/border.h"
#include "src/interp/kernels.h"
#include "src/interp/operands.h"

namespace t2n::interp {
namespace {

struct SliceRange {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t stride = 1;
};

/// Every |stride|-th entry of [begin, end). §4.5.4 rounds the number of entries down in one
/// sentence and writes input[begin:end:stride] in the next; the tools do the latter, and so does
/// this function.
at::Tensor sliced(const at::Tensor& x, int64_t axis, SliceRange range) {
  if (range.stride > 0)
    return x.slice(axis, range.begin, std::max(range.begin, range.end), range.stride);
  const int64_t first = range.end + 1;  // the lowest entry when going down
  const at::Tensor part = x.slice(axis, first, std::max(first, range.begin + 1));
  return part.flip({axis}).slice(axis, 0, part.size(axis), -range.stride);
}

/// Negative positions count from the end; positions outside are clamped.
int64_t standard_position(int64_t at, int64_t size, int64_t lowest, int64_t highest) {
  return std::clamp(at < 0 ? at + size : at, lowest, highest);
}

SliceRange standard_range(SliceRange range, int64_t size, bool to_the_end) {
  if (range.stride < 0)
    return {standard_position(range.begin, size, -1, size - 1),
            standard_position(range.end, size, -1, size - 1), range.stride};
  return {standard_position(range.begin, size, 0, size),
          to_the_end ? size : standard_position(range.end, size, 0, size), range.stride};
}

/// Whether tract knows the bound when it loads the model: only then are 0 and less special.
bool is_known(const Value& bounds, size_t at) {
  const auto* items = bounds.get<Values>();
  return items != nullptr ? is_constant((*items)[at]) : is_constant(bounds);
}

SliceRange tract_range(const KernelCall& call, SliceRange range, int64_t size, size_t at) {
  range.begin = std::min(range.begin, size);
  range.end = std::min(range.end, size);
  if (range.begin < 0 && is_known(call.value("begin"), at)) range.begin += size;
  if (range.end <= 0 && is_known(call.value("end"), at)) range.end += size;
  if (range.begin < 0 || range.end < range.begin)
    fail(cat("a slice from ", range.begin, " to ", range.end, " of ", size));
  return range;
}

/// tract cuts out the range and then steps through it, backwards from its end.
at::Tensor tract_sliced(const at::Tensor& x, int64_t axis, SliceRange range) {
  const at::Tensor part = x.slice(axis, range.begin, range.end);
  if (range.stride > 0) return part.slice(axis, 0, part.size(axis), range.stride);
  return part.flip({axis}).slice(axis, 0, part.size(axis), -range.stride);
}

Tensors slice(const KernelCall& call) {
  at::Tensor x = call.tensor("input");
  const Ints axes = checked_axes(call, "axes", x.dim());
  const Ints begin = call.ints("begin");
  const Ints end = call.ints("end");
  Ints stride = call.ints("stride");
  if (stride.empty()) stride.resize(axes.size(), 1);
  if (begin.size() != axes.size() || end.size() != axes.size() || stride.size() != axes.size())
    fail("axes, begin, end and stride have different lengths");
  const bool steps = std::any_of(stride.begin(), stride.end(), [](int64_t s) { return s != 1; });
  for (size_t at = 0; at < axes.size(); ++at) {
    if (stride[at] == 0) fail("a stride of 0");
    const SliceRange range = {begin[at], end[at], stride[at]};
    const int64_t size = x.size(axes[at]);
    if (call.is_tract())
      x = tract_sliced(x, axes[at], tract_range(call, range, size, at));
    else
      x = sliced(x, axes[at], standard_range(range, size, !steps && end[at] == 0));
  }
  return {x};
}

/// The axes of the indices replace the axis.
Tensors gather(const KernelCall& call) {
  const at::Tensor x = call.tensor("input");
  const at::Tensor indices = call.tensor("indices").to(at::kLong);
  const int64_t axis = checked_axis(call.i64("axis"), x.dim());
  if (indices.lt(0).any().item<bool>()) fail("an index is negative");
  Ints shape = x.sizes().vec();
  shape.erase(shape.begin() + axis);
  shape.insert(shape.begin() + axis, indices.sizes().begin(), indices.sizes().end());
  return {x.index_select(axis, indices.reshape({-1})).reshape(shape)};
}

Tensors pad(const KernelCall& call) {
  return {
      extended(call.tensor("input"), call.pairs("padding"), call.str("border"), call.f64("value"))};
}

}  // namespace

void register_index(Kernels& kernels) {
  kernels.add("slice", slice);
  kernels.add("gather", gather);
  kernels.add("pad", pad);
}

}  // namespace t2n::interp
