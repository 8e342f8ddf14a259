// SPDX-License-Identifier: Apache-2.0
// The same values with other indices (NNEF 1.0.5 §4.5.1 to §4.5.3), and constants.
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <algorithm>
#include <numeric>

#include "src/diag/error.h"
#include "src/interp/kernels.h"
#include "src/interp/operands.h"

namespace t2n::interp {
namespace {

int64_t product(const Ints& sizes) {
  int64_t out = 1;
  for (const int64_t size : sizes)
    if (__builtin_mul_overflow(out, size, &out)) fail(cat("a shape of ", shape_text(sizes)));
  return out;
}

/// 0 keeps the size at its position in `old`; -1 is inferred.
Ints new_shape(Ints shape, const Ints& old) {
  for (size_t at = 0; at < shape.size(); ++at) {
    if (shape[at] != 0) continue;
    if (at >= old.size())
      fail(cat("size 0 at position ", at, " is invalid: the input has no such axis"));
    shape[at] = old[at];
  }
  const auto inferred = std::find(shape.begin(), shape.end(), -1);
  if (inferred != shape.end()) {
    *inferred = 1;
    const int64_t known = product(shape);
    if (known == 0 || product(old) % known != 0)
      fail(cat(shape_text(old), " does not divide by ", known));
    *inferred = product(old) / known;
  }
  if (product(shape) != product(old))
    fail(cat("a tensor of ", shape_text(old), " has no shape ", shape_text(shape)));
  return shape;
}

Tensors reshape(const KernelCall& call) {
  const at::Tensor x = call.tensor("input");
  const int64_t start = call.i64("axis_start");
  const int64_t count = call.i64("axis_count") == -1 ? x.dim() - start : call.i64("axis_count");
  if (start < 0 || start > x.dim() || count < 0 || count > x.dim() - start)
    fail(cat(count, " axes from axis ", start, " on, of a tensor of rank ", x.dim()));
  const Ints old = x.sizes().vec();
  const auto first = old.begin() + start;
  const Ints middle = new_shape(call.ints("shape"), Ints(first, first + count));
  Ints shape(old.begin(), first);
  shape.insert(shape.end(), middle.begin(), middle.end());
  shape.insert(shape.end(), first + count, old.end());
  return {x.reshape(shape)};
}

Tensors squeeze(const KernelCall& call) {
  const at::Tensor x = call.tensor("input");
  const Ints axes = checked_axes(call, "axes", x.dim());
  Ints shape;
  for (int64_t axis = 0; axis < x.dim(); ++axis) {
    const bool dropped = std::find(axes.begin(), axes.end(), axis) != axes.end();
    if (dropped && x.size(axis) != 1) fail(cat("axis ", axis, " has size ", x.size(axis)));
    if (!dropped) shape.push_back(x.size(axis));
  }
  return {x.reshape(shape)};
}

/// Axes refer to the result, in any order.
Tensors unsqueeze(const KernelCall& call) {
  const at::Tensor x = call.tensor("input");
  const int64_t rank = x.dim() + static_cast<int64_t>(call.ints("axes").size());
  Ints axes = checked_axes(call, "axes", rank);
  std::sort(axes.begin(), axes.end());
  Ints shape = x.sizes().vec();
  for (const int64_t axis : axes) shape.insert(shape.begin() + axis, 1);
  return {x.reshape(shape)};
}

/// Axes after the listed ones stay.
Tensors transpose(const KernelCall& call) {
  const at::Tensor x = call.tensor("input");
  Ints order = checked_axes(call, "axes", x.dim());
  const auto count = static_cast<int64_t>(order.size());
  for (const int64_t axis : order)
    if (axis >= count)
      fail(cat("axis ", axis, " is out of range for a permutation of ", count, " axes"));
  for (int64_t axis = count; axis < x.dim(); ++axis) order.push_back(axis);
  return {x.permute(order)};
}

/// torch would choose a type for empty logical lists; tract casts to the first one's.
Tensors listed(const KernelCall& call) {
  Tensors values = call.tensors("values");
  if (values.empty()) fail(cat(call.operation(), " of an empty list"));
  for (at::Tensor& value : values) {
    if (value.scalar_type() == values[0].scalar_type()) continue;
    if (!call.is_tract()) fail("the values have different types");
    value = cast(value, values[0].scalar_type());
  }
  return values;
}

Tensors concat(const KernelCall& call) {
  const Tensors values = listed(call);
  for (const at::Tensor& value : values)
    if (value.dim() != values[0].dim()) fail("the values have different ranks");
  return {at::cat(values, checked_axis(call.i64("axis"), values[0].dim()))};
}

Tensors stack(const KernelCall& call) {
  const Tensors values = listed(call);
  return {at::stack(values, checked_axis(call.i64("axis"), values[0].dim() + 1))};
}

Tensors unstack(const KernelCall& call) {
  const at::Tensor x = call.tensor("value");
  return at::unbind(x, checked_axis(call.i64("axis"), x.dim()));
}

Tensors split(const KernelCall& call) {
  const at::Tensor x = call.tensor("value");
  const int64_t axis = checked_axis(call.i64("axis"), x.dim());
  Ints sizes = call.ints("ratios");
  const int64_t total = std::accumulate(sizes.begin(), sizes.end(), int64_t{0});
  if (total <= 0 || x.size(axis) % total != 0)
    fail(cat("the ratios sum up to ", total, ", which does not divide ", x.size(axis)));
  for (int64_t& size : sizes) size *= x.size(axis) / total;
  return at::split_with_sizes(x, sizes, axis);
}

Tensors tile(const KernelCall& call) {
  const at::Tensor x = call.tensor("input");
  const Ints repeats = call.ints("repeats");
  if (static_cast<int64_t>(repeats.size()) != x.dim())
    fail(cat(repeats.size(), " repeats for a tensor of rank ", x.dim()));
  return {x.repeat(repeats)};
}

at::ScalarType generic_type(const KernelCall& call) {
  if (call.site().type == "integer") return at::kLong;
  return call.site().type == "logical" ? at::kBool : at::kFloat;
}

/// One value for each position, or one for all.
Tensors constant(const KernelCall& call) {
  const Ints shape = call.ints("shape");
  Tensors items = call.tensors("value");
  for (at::Tensor& item : items) item = item.reshape({1});
  if (items.empty()) fail("a constant has a value");
  const at::Tensor values = at::cat(items).to(generic_type(call));
  if (values.numel() == 1) return {values.expand({product(shape)}).clone().reshape(shape)};
  if (values.numel() != product(shape))
    fail(cat(values.numel(), " values for the shape ", shape_text(shape)));
  return {values.reshape(shape)};
}

/// Scalars become the next lower integer (§3.3.3), while the tools truncate.
Tensors cast_kernel(const KernelCall& call) {
  const at::Tensor x = call.tensor("input");
  const at::ScalarType type = generic_type(call);
  const bool rounds = type == at::kLong && at::isFloatingType(x.scalar_type());
  return {cast(rounds ? at::floor(x) : x, type)};
}

}  // namespace

void register_shape(Kernels& kernels) {
  kernels.add("reshape", reshape);
  kernels.add("squeeze", squeeze);
  kernels.add("unsqueeze", unsqueeze);
  kernels.add("transpose", transpose);
  kernels.add("concat", concat);
  kernels.add("stack", stack);
  kernels.add("unstack", unstack);
  kernels.add("split", split);
  kernels.add("tile", tile);
  kernels.add("constant", constant);
  kernels.add("cast", cast_kernel);
}

}  // namespace t2n::interp
