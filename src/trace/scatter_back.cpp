// Expresses a write through a view as a new version of the tensor that it is a view of.
#include <ATen/Functions.h>

#include <algorithm>
#include <optional>

#include "src/diag/error.h"
#include "src/trace/convert.h"
#include "src/trace/recorder.h"

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

/// The cut that makes `view` out of the row-major `base`, if it is one along a single axis.
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
      if (!used[static_cast<size_t>(b)] && base.size(b) == view.size(d) &&
          base.stride(b) == view.stride(d))
        match = b;
    if (match < 0) return {};
    used[static_cast<size_t>(match)] = true;
    out.push_back(match);
  }
  return out;
}

}  // namespace

ir::ValueId Recorder::index_constant(const at::Tensor& tensor, Location place) {
  const std::string path = ir::module_path(graph_, place.scope);
  const ir::ValueId value = ir::add_constant(
      graph_, naming_.unique((path.empty() ? "" : path + ".") + "positions"), copy(tensor));
  value_marks_.resize(graph_.values.size());
  return value;
}

/// Views that read the base's bytes as other numbers: parts of complex tensors, conjugates.
std::optional<ir::ValueId> Recorder::scatter_back_complex(std::string_view op, ir::ValueId base,
                                                          ir::ValueId source, Location place) {
  const ir::Value whole = graph_.values[static_cast<size_t>(base)];
  const auto as_base = [&](std::string_view inverse, std::vector<ir::Argument> args) {
    return emit(inverse, std::move(args), whole.dtype, ir::static_shape(whole.shape), place);
  };
  const auto part = [&](std::string_view name) {
    return emit(name, {tensor_arg("self", base)}, ir::component_dtype(whole.dtype),
                ir::static_shape(whole.shape), place);
  };
  if (op == "aten::view_as_complex")
    return as_base("aten::view_as_real", {tensor_arg("self", source)});
  if (!ir::is_complex(whole.dtype)) return {};
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
                                   Location place) {
  const View& view = *entry.view;
  const std::string_view op = ir::op_name(view.call.node.op);
  if (const auto whole = scatter_back_complex(op, base, source, place)) return *whole;
  const ir::Value& base_value = graph_.values[static_cast<size_t>(base)];
  const ir::DType dtype = base_value.dtype;
  const ir::Ints base_shape = ir::static_shape(base_value.shape);
  if (graph_.values[static_cast<size_t>(source)].dtype != dtype)
    throw Error("unsupported-inplace", cat("a write through ", ir::op_name(view.call.node.op),
                                           " changes how the bytes of the base are read"));
  const auto pass = [&](const char* name) {
    return ir::Argument{name, *view.call.node.find(name)};
  };
  if (op == "aten::select.int")
    return emit("aten::select_scatter",
                {tensor_arg("self", base), tensor_arg("src", source), pass("dim"), pass("index")},
                dtype, base_shape, place);
  if (op == "aten::unbind.int")
    return emit("aten::select_scatter",
                {tensor_arg("self", base),
                 tensor_arg("src", source),
                 pass("dim"),
                 {"index", ir::Dim(static_cast<int64_t>(view.output))}},
                dtype, base_shape, place);
  if (op == "aten::slice.Tensor")
    return emit("aten::slice_scatter",
                {tensor_arg("self", base), tensor_arg("src", source), pass("dim"), pass("start"),
                 pass("end"), pass("step")},
                dtype, base_shape, place);
  if (op == "aten::diagonal")
    return emit("aten::diagonal_scatter",
                {tensor_arg("self", base), tensor_arg("src", source), pass("offset"), pass("dim1"),
                 pass("dim2")},
                dtype, base_shape, place);

  if (const auto part = keep_sizes_ ? places_.open_cut(view) : std::nullopt)
    return emit("aten::slice_scatter",
                {tensor_arg("self", base),
                 tensor_arg("src", source),
                 {"dim", ir::Dim(part->axis)},
                 {"start", part->start},
                 {"end", part->end},
                 {"step", ir::Dim(1)}},
                dtype, base_shape, place);
  // For any other view: look where it puts the elements of an arange in the base's shape.
  const at::Tensor whole = at::arange(ir::element_count(base_shape)).reshape(base_shape);
  return scatter_positions(whole, view_of(view, whole), base, source, place);
}

at::Tensor view_of(const View& view, const at::Tensor& base) {
  if (view.base_in_list >= 0)
    throw Error(
        "unsupported-inplace",
        cat("a write through a result of ", ir::op_name(view.call.node.op), " cannot be expressed"),
        "the results share memory with a list of tensors", "clone() it first");
  torch::jit::Stack stack = view.call.inputs;
  stack[view.base_input] = base;
  for (const size_t again : view.base_again) stack[again] = base;
  view.call.run(stack);
  std::vector<at::Tensor> results;
  for (const c10::IValue& result : stack)
    for (at::Tensor& tensor : flatten_tensors(result)) results.push_back(std::move(tensor));
  at::Tensor positions = results.at(view.output);
  if (positions.scalar_type() != base.scalar_type())
    throw Error("unsupported-inplace",
                cat("a write through ", ir::op_name(view.call.node.op), " cannot be expressed"));
  return positions;
}

/// The shape of a value as an argument: over sizes if these are kept.
ir::Shape Recorder::shape_of(ir::ValueId value) {
  return keep_sizes_ ? size_symbols(graph_, value)
                     : graph_.values[static_cast<size_t>(value)].shape;
}

ir::ValueId Recorder::scatter_positions(const at::Tensor& whole, const at::Tensor& positions,
                                        ir::ValueId base, ir::ValueId source, Location place) {
  const ir::DType dtype = graph_.values[static_cast<size_t>(base)].dtype;
  const ir::Ints shape = whole.sizes().vec();
  const auto reshape = [&](ir::ValueId id, const ir::Ints& to) {
    return emit("aten::reshape", {tensor_arg("self", id), ints_arg("shape", to)}, dtype, to, place);
  };
  const bool all = positions.numel() == whole.numel() && positions.storage_offset() == 0;
  if (all && positions.is_contiguous())
    return emit("aten::reshape", {tensor_arg("self", source), {"shape", shape_of(base)}}, dtype,
                shape, place);
  const std::vector<int64_t> order = permutation(whole, positions);
  if (!order.empty()) {
    ir::Ints inverse(order.size());
    for (size_t i = 0; i < order.size(); ++i)
      inverse[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
    return emit("aten::permute", {tensor_arg("self", source), ints_arg("dims", inverse)}, dtype,
                shape, place);
  }
  if (const auto cut = find_cut(whole, positions))
    return emit("aten::slice_scatter",
                {tensor_arg("self", base),
                 tensor_arg("src", source),
                 {"dim", ir::Dim(cut->axis)},
                 {"start", ir::Dim(cut->start)},
                 {"end", ir::Dim(cut->end)},
                 {"step", ir::Dim(cut->step)}},
                dtype, shape, place);
  const ir::ValueId index = index_constant(positions.reshape({-1}), place);
  const ir::ValueId flat = reshape(base, {whole.numel()});
  const ir::ValueId updates = reshape(source, {positions.numel()});
  const ir::ValueId written = emit("aten::scatter.src",
                                   {tensor_arg("self", flat),
                                    {"dim", ir::Dim(0)},
                                    tensor_arg("index", index),
                                    tensor_arg("src", updates)},
                                   dtype, {whole.numel()}, place);
  return reshape(written, shape);
}

}  // namespace t2n::trace
