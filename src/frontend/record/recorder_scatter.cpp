// SPDX-License-Identifier: Apache-2.0
// Expresses a write through a view as a new version of its base.
#include <ATen/Functions.h>

#include <algorithm>
#include <optional>

#include "src/diag/error.h"
#include "src/frontend/load/convert.h"
#include "src/frontend/record/recorder.h"

namespace t2n::trace {
namespace {

ir::Argument tensor_arg(std::string name, ir::ValueId id) {
  return {std::move(name), ir::TensorRef{id}};
}

ir::Argument ints_arg(std::string name, const ir::Ints& values) {
  return {std::move(name), std::vector<ir::Dim>(values.begin(), values.end())};
}

/// A slice of one axis: [start, end) by step.
struct Cut {
  int64_t axis = 0;
  int64_t start = 0;
  int64_t end = 0;
  int64_t step = 1;
};

/// The cut of the row-major `base` that gives `view`, if it is one along a single axis.
std::optional<Cut> find_cut(const at::Tensor& base, const at::Tensor& view) {
  if (base.dim() != view.dim()) return std::nullopt;
  int64_t axis = -1;
  for (int64_t d = 0; d < base.dim(); ++d) {
    const bool same =
        base.size(d) == view.size(d) && (base.stride(d) == view.stride(d) || base.size(d) == 1);
    if (same) continue;
    if (axis >= 0) return std::nullopt;
    axis = d;
  }
  if (axis < 0 || base.stride(axis) <= 0 || view.stride(axis) <= 0) return std::nullopt;
  const int64_t unit = base.stride(axis);
  if (view.storage_offset() % unit != 0 || view.stride(axis) % unit != 0) return std::nullopt;
  const int64_t start = view.storage_offset() / unit;
  const int64_t step = view.size(axis) > 1 ? view.stride(axis) / unit : 1;
  return Cut{axis, start, start + (view.size(axis) - 1) * step + 1, step};
}

/// The permutation p with view = base.permute(p), or empty.
std::vector<int64_t> permutation(const at::Tensor& base, const at::Tensor& view) {
  std::vector<int64_t> out;
  if (base.dim() != view.dim() || view.storage_offset() != 0) return {};
  std::vector<bool> used(static_cast<size_t>(base.dim()), false);
  for (int64_t d = 0; d < view.dim(); ++d) {
    int64_t match = -1;
    for (int64_t b = 0; b < base.dim() && match < 0; ++b)
      if (!used[b] && base.size(b) == view.size(d) && base.stride(b) == view.stride(d)) match = b;
    if (match < 0) return {};
    used[match] = true;
    out.push_back(match);
  }
  return out;
}

}  // namespace

ir::ValueId Recorder::index_constant(const at::Tensor& tensor, Location location) {
  const std::string path = ir::module_path(graph_, location.scope);
  const ir::ValueId value = ir::add_constant(
      graph_, naming_.unique((path.empty() ? "" : path + ".") + "positions"), copy(tensor));
  value_marks_.resize(graph_.values.size());
  return value;
}

/// Views that reinterpret the base's bytes: parts of complex tensors, conjugates.
std::optional<ir::ValueId> Recorder::scatter_back_complex(std::string_view op, ir::ValueId base,
                                                          ir::ValueId source, Location location) {
  const ir::Value base_value = graph_.values[base];
  const auto as_base = [&](std::string_view inverse, std::vector<ir::Argument> args) {
    return emit(inverse, std::move(args), base_value.dtype, ir::static_shape(base_value.shape),
                location);
  };
  const auto part = [&](std::string_view name) {
    return emit(name, {tensor_arg("self", base)}, ir::component_dtype(base_value.dtype),
                ir::static_shape(base_value.shape), location);
  };
  if (op == "aten::view_as_complex")
    return as_base("aten::view_as_real", {tensor_arg("self", source)});
  if (!ir::is_complex(base_value.dtype)) return {};
  if (op == "aten::view_as_real")
    return as_base("aten::view_as_complex", {tensor_arg("self", source)});
  if (op == "aten::real")
    return as_base("aten::complex",
                   {tensor_arg("real", source), tensor_arg("imag", part("aten::imag"))});
  if (op == "aten::imag")
    return as_base("aten::complex",
                   {tensor_arg("real", part("aten::real")), tensor_arg("imag", source)});
  if (op == "aten::conj" || op == "aten::_conj")
    return as_base("aten::conj_physical", {tensor_arg("self", source)});
  if (op == "aten::mH" || op == "aten::adjoint" || op == "aten::matrix_H")
    throw Error("unsupported-inplace", cat("a write through ", op, " cannot be expressed"), {},
                "write to the transposed tensor");
  return {};
}

ir::ValueId Recorder::scatter_back(const TensorInfo& entry, ir::ValueId base, ir::ValueId source,
                                   Location location) {
  const View& view = *entry.view;
  const std::string_view op = ir::op_name(view.call.node.op);
  if (const auto result = scatter_back_complex(op, base, source, location)) return *result;
  const ir::Value& base_value = graph_.values[base];
  const ir::DType dtype = base_value.dtype;
  const ir::Ints base_shape = ir::static_shape(base_value.shape);
  if (graph_.values[source].dtype != dtype)
    throw Error("unsupported-inplace", cat("a write through ", ir::op_name(view.call.node.op),
                                           " changes how the bytes of the base are read"));
  const auto pass = [&](const char* name) {
    return ir::Argument{name, *view.call.node.find(name)};
  };
  if (op == "aten::select.int")
    return emit("aten::select_scatter",
                {tensor_arg("self", base), tensor_arg("src", source), pass("dim"), pass("index")},
                dtype, base_shape, location);
  if (op == "aten::unbind.int")
    return emit("aten::select_scatter",
                {tensor_arg("self", base),
                 tensor_arg("src", source),
                 pass("dim"),
                 {"index", ir::Dim(static_cast<int64_t>(view.output))}},
                dtype, base_shape, location);
  if (op == "aten::slice.Tensor")
    return emit("aten::slice_scatter",
                {tensor_arg("self", base), tensor_arg("src", source), pass("dim"), pass("start"),
                 pass("end"), pass("step")},
                dtype, base_shape, location);
  if (op == "aten::diagonal")
    return emit("aten::diagonal_scatter",
                {tensor_arg("self", base), tensor_arg("src", source), pass("offset"), pass("dim1"),
                 pass("dim2")},
                dtype, base_shape, location);

  if (const auto part = keep_sizes_ ? regions_.symbolic_slice(view) : std::nullopt)
    return emit("aten::slice_scatter",
                {tensor_arg("self", base),
                 tensor_arg("src", source),
                 {"dim", ir::Dim(part->axis)},
                 {"start", part->start},
                 {"end", part->end},
                 {"step", ir::Dim(1)}},
                dtype, base_shape, location);
  // Any other view: apply it to the indices of the base's elements.
  const at::Tensor indices = at::arange(ir::element_count(base_shape)).reshape(base_shape);
  return scatter_indices(indices, view_of(view, indices), aliases_[entry.parent], source, location);
}

at::Tensor view_of(const View& view, const at::Tensor& base) {
  if (view.base_in_list >= 0)
    throw Error(
        "unsupported-inplace",
        cat("a write through a result of ", ir::op_name(view.call.node.op), " cannot be expressed"),
        "the results share memory with a list of tensors", "clone() it first");
  torch::jit::Stack stack = view.call.inputs;
  stack[view.base_input] = base;
  for (const size_t input : view.base_again) stack[input] = base;
  view.call.run(stack);
  std::vector<at::Tensor> results;
  for (const c10::IValue& result : stack)
    for (at::Tensor& tensor : flatten_tensors(result)) results.push_back(std::move(tensor));
  at::Tensor result = results.at(view.output);
  if (result.scalar_type() != base.scalar_type())
    throw Error("unsupported-inplace",
                cat("a write through ", ir::op_name(view.call.node.op), " cannot be expressed"));
  return result;
}

/// A value that has the sizes of an entry's. If each version had symbols of its own, what depends
/// on a tensor that a loop writes would depend on a symbol for every write.
ir::ValueId Recorder::sized_as(const TensorInfo& entry) const {
  const bool is_known = entry.unwritten != ir::kNoValue && rerolling_.is_available(entry.unwritten);
  return is_known ? entry.unwritten : entry.value;
}

ir::ValueId Recorder::scatter_indices(const at::Tensor& base_indices, const at::Tensor& indices,
                                      const TensorInfo& base, ir::ValueId source,
                                      Location location) {
  const ir::DType dtype = graph_.values[base.value].dtype;
  const ir::Ints shape = base_indices.sizes().vec();
  const auto reshape = [&](ir::ValueId id, const ir::Ints& to) {
    return emit("aten::reshape", {tensor_arg("self", id), ints_arg("shape", to)}, dtype, to,
                location);
  };
  const bool all = indices.numel() == base_indices.numel() && indices.storage_offset() == 0;
  if (all && indices.is_contiguous()) {
    const ir::Shape to = keep_sizes_ ? size_symbols(graph_, sized_as(base)) : ir::to_shape(shape);
    return emit("aten::reshape", {tensor_arg("self", source), {"shape", to}}, dtype, shape,
                location);
  }
  const std::vector<int64_t> order = permutation(base_indices, indices);
  if (!order.empty()) {
    ir::Ints inverse(order.size());
    for (size_t i = 0; i < order.size(); ++i) inverse[order[i]] = static_cast<int64_t>(i);
    return emit("aten::permute", {tensor_arg("self", source), ints_arg("dims", inverse)}, dtype,
                shape, location);
  }
  if (const auto cut = find_cut(base_indices, indices))
    return emit("aten::slice_scatter",
                {tensor_arg("self", base.value),
                 tensor_arg("src", source),
                 {"dim", ir::Dim(cut->axis)},
                 {"start", ir::Dim(cut->start)},
                 {"end", ir::Dim(cut->end)},
                 {"step", ir::Dim(cut->step)}},
                dtype, shape, location);
  const ir::ValueId index = index_constant(indices.reshape({-1}), location);
  const ir::ValueId flat = reshape(base.value, {base_indices.numel()});
  const ir::ValueId updates = reshape(source, {indices.numel()});
  const ir::ValueId written = emit("aten::scatter.src",
                                   {tensor_arg("self", flat),
                                    {"dim", ir::Dim(0)},
                                    tensor_arg("index", index),
                                    tensor_arg("src", updates)},
                                   dtype, {base_indices.numel()}, location);
  return reshape(written, shape);
}

}  // namespace t2n::trace
