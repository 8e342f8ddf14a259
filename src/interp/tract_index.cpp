// SPDX-License-Identifier: Apache-2.0
// tract's gathers and scatters, and other operations that select entries by index.
#include <ATen/Functions.h>

#include "src/interp/kernel.h"
#include "src/interp/kernels.h"
#include "src/interp/tract_support.h"

namespace t2n::interp {
namespace {

/// The indices in i64; negative ones count from the end. Errors: `engine-failed` for indices out of
/// range.
at::Tensor wrapped(const at::Tensor& positions, int64_t extent) {
  at::Tensor indices = positions.to(at::kLong);
  if (indices.numel() == 0) return indices;
  indices = at::where(indices.lt(0), indices.add(extent), indices);
  const auto outside = indices.lt(0).logical_or(indices.ge(extent));
  if (outside.any().item<bool>())
    fail(cat("index ", positions.masked_select(outside)[0].item<int64_t>(), " is out of range"),
         cat("the axis has ", extent, " entries"));
  return indices;
}

Tensors tract_gather(const KernelCall& call) {
  const at::Tensor input = call.tensor("input"), positions = call.tensor("indices");
  const int64_t axis = axis_of(call, "axis", input.dim());
  const at::Tensor indices = wrapped(positions, input.size(axis));
  Ints shape = input.sizes().vec();
  shape.erase(shape.begin() + axis);
  shape.insert(shape.begin() + axis, positions.sizes().begin(), positions.sizes().end());
  at::Tensor out = input.index_select(axis, indices.reshape({-1})).reshape(shape);
  if (call.has("datum_type")) out = out.to(dtype_named(call.str("datum_type")));
  return {out};
}

Tensors gather_elements(const KernelCall& call) {
  const at::Tensor input = call.tensor("input");
  const int64_t axis = axis_of(call, "axis", input.dim());
  return {input.gather(axis, wrapped(call.tensor("indices"), input.size(axis)))};
}

/// Tuples of indices, [K, n], into the first n axes of `shape`, as indices into one axis.
at::Tensor flat_indices(const at::Tensor& tuples, at::IntArrayRef shape) {
  at::Tensor out = at::zeros({tuples.size(0)}, at::kLong);
  for (int64_t i = 0; i < tuples.size(1); ++i) {
    const int64_t extent = shape[i];
    out = out.mul(extent).add(wrapped(tuples.select(1, i), extent));
  }
  return out;
}

int64_t size_product(at::IntArrayRef sizes) {
  int64_t out = 1;
  for (const int64_t size : sizes) out *= size;
  return out;
}

/// tract aborts on negative indices, here and in scatter_nd.
void refuse_negative(const at::Tensor& indices) {
  if (indices.numel() > 0 && indices.lt(0).any().item<bool>())
    fail("negative indices are not supported here");
}

Tensors gather_nd(const KernelCall& call) {
  const at::Tensor input = call.tensor("input");
  const at::Tensor indices = call.tensor("indices").to(at::kLong);
  const int64_t batch = call.i64("batch_dims"), depth = indices.size(-1);
  refuse_negative(indices);
  if (depth == 0 || batch + depth > input.dim())
    fail(cat("tuples of ", depth, " indices do not fit ", input.dim() - batch, " axes"));
  // The batch axes are indexed by their own positions.
  Ints shape(static_cast<size_t>(indices.dim() - 1), 1);
  c10::List<std::optional<at::Tensor>> picks;
  for (int64_t i = 0; i < batch; ++i) {
    const size_t axis = i;
    Ints along = shape;
    along.at(axis) = input.size(i);
    picks.push_back(at::arange(input.size(i), at::kLong).reshape(along));
  }
  for (int64_t i = 0; i < depth; ++i)
    picks.push_back(wrapped(indices.select(-1, i), input.size(batch + i)));
  return {input.index(picks)};
}

/// torch's name for tract's reduction; nullptr for "none".
const char* torch_reduction(const KernelCall& call) {
  const std::string& name = call.str("reduction");
  if (name == "none") return nullptr;
  if (name == "add") return "sum";
  if (name == "mul") return "prod";
  if (name == "min") return "amin";
  if (name == "max") return "amax";
  fail(cat("there is no reduction ", quoted(name)), "known are none, add, mul, min and max");
}

at::Tensor scatter(const at::Tensor& data, int64_t axis, const at::Tensor& indices,
                   const at::Tensor& updates, const char* reduction) {
  if (reduction == nullptr) return data.scatter(axis, indices, updates);
  return data.scatter_reduce(axis, indices, updates, reduction, /*include_self=*/true);
}

Tensors scatter_elements(const KernelCall& call) {
  const auto [data, updates] = common_dtype(call, "input", "updates");
  const int64_t axis = axis_of(call, "axis", data.dim());
  at::Tensor indices = wrapped(call.tensor("indices"), data.size(axis));
  for (int64_t i = 0; i < updates.dim(); ++i) indices = indices.narrow(i, 0, updates.size(i));
  return {scatter(data, axis, indices, updates, torch_reduction(call))};
}

Tensors scatter_nd(const KernelCall& call) {
  const auto [data, updates] = common_dtype(call, "input", "updates");
  const at::Tensor indices = call.tensor("indices").to(at::kLong);
  refuse_negative(indices);
  const int64_t depth = indices.size(-1), tuples = indices.numel() / std::max<int64_t>(depth, 1);
  const auto indexed = data.sizes().slice(0, static_cast<size_t>(depth));
  const int64_t width = size_product(data.sizes().slice(static_cast<size_t>(depth)));
  const at::Tensor targets = flat_indices(indices.reshape({tuples, depth}), indexed);
  const at::Tensor out = scatter(data.reshape({size_product(indexed), width}), 0,
                                 targets.unsqueeze(1).expand({tuples, width}),
                                 updates.reshape({tuples, width}), torch_reduction(call));
  return {out.reshape(data.sizes())};
}

/// Sorted; equal entries keep the order of their indices.
Tensors topk(const KernelCall& call) {
  const at::Tensor input = call.tensor("input");
  const int64_t axis = axis_of(call, "axis", input.dim()), k = call.i64("k");
  if (k < 0 || k > input.size(axis))
    fail(cat("there are no ", k, " largest of ", input.size(axis), " entries"));
  const auto [values, indices] = input.sort(/*stable=*/true, axis, call.boolean("largest"));
  return {values.narrow(axis, 0, k), indices.narrow(axis, 0, k)};
}

/// Literals are f32, bool, or integers, which tract converts to i32 here.
at::Tensor fill_value(const KernelCall& call, std::string_view name) {
  const at::Tensor out = call.tensor(name);
  return call.value(name).get<int64_t>() == nullptr ? out : out.to(at::kInt);
}

Tensors one_hot(const KernelCall& call) {
  const at::Tensor input = call.tensor("input");
  const int64_t axis = axis_of(call, "axis", input.dim() + 1), dim = call.i64("dim");
  const at::Tensor off = fill_value(call, "value_off"), on = fill_value(call, "value_on");
  const at::Tensor targets = wrapped(input, dim).unsqueeze(axis);
  Ints shape = input.sizes().vec();
  shape.insert(shape.begin() + axis, dim);
  const at::Tensor background = off.expand(shape).clone(at::MemoryFormat::Contiguous);
  return {background.scatter(axis, targets, on.to(off.dtype()).expand(targets.sizes()))};
}

Tensors trilu(const KernelCall& call) {
  const at::Tensor input = call.tensor("input");
  const int64_t k = call.i64("k");
  return {call.boolean("upper") ? input.triu(k) : input.tril(k)};
}

Tensors dyn_slice(const KernelCall& call) {
  const at::Tensor input = call.tensor("input");
  const int64_t axis = axis_of(call, "axis", input.dim());
  const int64_t start = call.i64("start"), end = call.i64("end"), len = call.i64("len");
  if (start < 0 || end < start || end > input.size(axis))
    fail(cat("there is no slice ", start, ":", end, " of ", input.size(axis), " entries"));
  if (end - start != len) fail(cat("len is ", len, ", but end - start is ", end - start));
  return {input.narrow(axis, start, end - start)};
}

/// Every stride-th entry from `modulo` on, of the reversed axis for a negative stride.
Tensors downsample(const KernelCall& call) {
  at::Tensor input = call.tensor("input");
  const int64_t axis = axis_of(call, "axis", input.dim());
  const int64_t stride = call.i64("stride"), modulo = call.i64("modulo");
  if (stride == 0) fail("the stride is zero");
  if (stride < 0 && modulo != 0) fail("only forward strides have a modulo");
  if (stride < 0) input = input.flip(axis);
  return {input.slice(axis, modulo, std::nullopt, std::abs(stride))};
}

}  // namespace

void register_tract_index(Kernels& kernels) {
  kernels.add("tract_core_gather", tract_gather);
  kernels.add("tract_core_gather_elements", gather_elements);
  kernels.add("tract_core_gather_nd", gather_nd);
  kernels.add("tract_core_scatter_elements", scatter_elements);
  kernels.add("tract_core_scatter_nd", scatter_nd);
  kernels.add("tract_core_topk", topk);
  kernels.add("tract_core_one_hot", one_hot);
  kernels.add("tract_core_trilu", trilu);
  kernels.add("tract_core_dyn_slice", dyn_slice);
  kernels.add("tract_core_downsample", downsample);
}

}  // namespace t2n::interp
