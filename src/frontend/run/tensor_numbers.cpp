// SPDX-License-Identifier: Apache-2.0
// Marks of the numbers that tensor operations return: they depend on sizes or values, or are lists
// whose length does. An integer that is read from a tensor may become a data-dependent size: the
// graph then creates that many entries and uses their number.
#include "src/frontend/run/tensor_numbers.h"

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "ir/dynamic_qparams.h"
#include "src/diag/error.h"
#include "src/diag/one_of.h"
#include "src/frontend/record/computed_numbers.h"

namespace t2n::trace {
namespace {

using torch::jit::Stack;

/// True for queries with one answer for every input of the model: of a tensor's type, never of its
/// sizes or values.
bool queries_type(const std::string& name) {
  constexpr std::array<std::string_view, 35> kNames = {
      "aten::dim",         "prim::dtype",        "prim::device",       "prim::layout",
      "aten::is_complex",  "aten::is_signed",    "aten::element_size", "prim::itemsize",
      "prim::is_cpu",      "prim::is_cuda",      "prim::is_xpu",       "prim::is_mps",
      "prim::is_mkldnn",   "prim::is_quantized", "prim::is_sparse",    "prim::is_sparse_csr",
      "prim::is_meta",     "prim::is_vulkan",    "prim::is_xla",       "prim::is_ipu",
      "prim::is_maia",     "prim::is_mtia",      "prim::is_nested",    "aten::get_device",
      "aten::result_type", "aten::is_conj",      "aten::is_neg",       "aten::is_floating_point",
      "aten::sparse_dim",  "aten::dense_dim",    "aten::qscheme",      "aten::is_inference",
      "aten::is_pinned",   "aten::can_cast",     "aten::is_leaf"};
  return is_one_of(name, kNames);
}

bool queries_contiguity(const std::string& name) {
  return name == "aten::is_contiguous" || name == "aten::sym_is_contiguous";
}

/// True for queries of the memory layout, which depends on sizes alone.
bool queries_layout(const std::string& name) {
  constexpr std::array<std::string_view, 9> kNames = {
      "aten::stride",          "aten::storage_offset",
      "aten::sym_stride",      "aten::sym_storage_offset",
      "prim::nbytes",          "aten::nbytes",
      "aten::is_same_size",    "aten::is_set_to",
      "aten::_shape_as_tensor"};
  return is_one_of(name, kNames);
}

bool has_integers(const at::Tensor& tensor) {
  return at::isIntegralType(tensor.scalar_type(), false);
}

int64_t wrapped_index(int64_t index, int64_t count) { return index < 0 ? index + count : index; }

bool holds_tensors_only(const c10::IValue& value) {
  if (value.isTensor() || value.isNone()) return true;
  const auto all = [](const auto& elements) {
    return std::all_of(elements.begin(), elements.end(), holds_tensors_only);
  };
  if (value.isTuple()) return all(value.toTupleRef().elements());
  if (!value.isList()) return false;
  const bool is_empty = value.toListRef().empty();
  return is_empty ? value.isTensorList() || value.isOptionalTensorList() : all(value.toListRef());
}

std::optional<Mark> find(const std::vector<std::pair<at::Tensor, Mark>>& known,
                         const at::Tensor& tensor) {
  for (const auto& [each, mark] : known)
    if (each.is_same(tensor)) return mark;
  return {};
}

bool is_first(const c10::IValue& index) { return unmarked(index).toInt() == 0; }

}  // namespace

Mark TensorNumbers::axis_mark(const at::Tensor& tensor, int64_t axis) const {
  if (recorder_->aliases().is_dynamic_shape(tensor))
    return data_mark(position_.origin("the size of a tensor that depends on values"));
  if (!options_.keep_sizes || !recorder_->mark(tensor)) return nullptr;
  const ir::ValueId value = recorder_->sized_value(tensor, position_.location());
  return size_mark(ir::size_symbol(graph_, value, axis));
}

/// The mark of everything that a tensor's sizes and memory layout depend on.
Mark TensorNumbers::layout_mark(const at::Tensor& tensor) {
  if (recorder_->aliases().is_choice(tensor))
    return data_mark(position_.origin("the choice of a tensor by a branch"));
  Mark out;
  for (int64_t axis = 0; axis < tensor.dim(); ++axis)
    if (const Mark size = axis_mark(tensor, axis)) out = join(out, size);
  return out;
}

/// The program queries whether a tensor is contiguous: adds guards for the same answer.
void TensorNumbers::guard_layout(const at::Tensor& tensor) {
  if (options_.keep_sizes) decisions_.add_guards(recorder_->layout_conditions(tensor));
}

/// Whether the sizes of an operation's results depend on values that are not constant.
bool TensorNumbers::has_data_dependent_sizes(const std::string& name, const Stack& inputs) {
  if (!reads_.decided_shapes(name, inputs)) return false;
  if (name == "aten::repeat_interleave") {
    const bool has_input = inputs.size() > 1 && inputs[1].isTensor();
    return recorder_->mark(inputs[has_input ? 1 : 0].toTensor()) != nullptr;
  }
  if (name == "aten::tensor_split") return recorder_->mark(inputs[1].toTensor()) != nullptr;
  if (name != "aten::masked_select" && name != "aten::index") return true;
  const std::vector<at::Tensor> operands = flatten_tensors(inputs.at(1));
  return std::any_of(operands.begin(), operands.end(), [&](const at::Tensor& mask) {
    return is_mask(mask) && recorder_->mark(mask);
  });
}

/// The mark of a number that is read from a tensor.
Mark TensorNumbers::tensor_mark(const at::Tensor& tensor, const std::string& name) {
  const Mark mark = recorder_->mark(tensor);
  return is_data(mark) ? data_mark(position_.origin(name)) : mark;
}

/// The mark of a number over sizes whose only form is a tensor of the graph.
Mark TensorNumbers::tensor_number(const std::string& name, const at::Tensor& tensor,
                                  const Mark& mark) const {
  const bool is_plain = tensor.numel() == 1 && !tensor.is_quantized() && !tensor.is_complex();
  if (!is_opaque(mark) || depends_on_iteration(mark) || !is_plain) return mark;
  const bool is_boolean = name == "aten::Bool" || tensor.scalar_type() == at::kBool;
  const bool is_float = name.starts_with("aten::Float") || at::isFloatingType(tensor.scalar_type());
  const FormulaType type = is_boolean                                   ? FormulaType::boolean
                           : name.starts_with("aten::Int") || !is_float ? FormulaType::integer
                                                                        : FormulaType::floating;
  return opaque_mark(sizes_of(mark),
                     read_formula(tensor, recorder_->aliases().version(tensor), type));
}

/// The mark of everything that the operands depend on.
Mark TensorNumbers::default_mark(const std::string& name, const Stack& inputs) {
  Mark out = marks_.reach_all(inputs);
  const auto include = [&](const Mark& mark) { out = either(out, mark); };
  for (const c10::IValue& input : inputs)
    for (const at::Tensor& tensor : flatten_tensors(input)) {
      if (!queries_layout(name)) include(tensor_mark(tensor, name));
      if (const Mark sizes = layout_mark(tensor)) include(sizes);
    }
  return is_data(out) ? data_mark(position_.origin(name)) : out;
}

Mark TensorNumbers::number_of(const std::string& name, const Stack& inputs) {
  const bool is_dynamic_rank =
      inputs[0].isTensor() && recorder_->aliases().is_dynamic_rank(inputs[0].toTensor());
  if (is_dynamic_rank && (name == "aten::dim" || !queries_type(name)))
    return data_mark(position_.origin("the axes of a tensor, which depend on values"));
  if (queries_type(name)) return marks_.reach_all(c10::ArrayRef<c10::IValue>(inputs).slice(1));
  if (!inputs[0].isTensor() || !inputs[0].toTensor().defined()) return default_mark(name, inputs);
  const at::Tensor& tensor = inputs[0].toTensor();
  if (queries_contiguity(name)) {
    const Mark extra = marks_.reach_all(c10::ArrayRef<c10::IValue>(inputs).slice(1));
    const Mark sizes = layout_mark(tensor);
    if (!is_data(sizes)) guard_layout(tensor);
    return is_data(sizes) ? sizes : extra;
  }
  if (ir::reads_qparams(name) && recorder_->mark(tensor) &&
      !ir::has_dynamic_qparams(graph_, recorder_->sized_value(tensor, position_.location())))
    return nullptr;
  if (name == "aten::len") return axis_mark(tensor, 0);
  if (name == "aten::size" || name == "aten::sym_size") {
    const Mark extra = marks_.of(inputs[1]);
    const Mark size = axis_mark(tensor, wrapped_index(unmarked(inputs[1]).toInt(), tensor.dim()));
    return extra ? join(extra, size) : size;
  }
  if (name == "aten::numel" || name == "aten::sym_numel") {
    ir::Dim count = 1;
    for (int64_t axis = 0; axis < tensor.dim(); ++axis) {
      const Mark size = axis_mark(tensor, axis);
      if (is_data(size)) return size;
      count = count * size_or(size, tensor.size(axis));
    }
    return size_mark(count);
  }
  if (reads_value(name) && inputs.size() == 1) {
    if (const auto batch = full_batch(tensor)) return *batch;
    if (const auto number = number_mark(tensor)) {
      const bool is_integer_number = has_integers(tensor) || name == "aten::Int";
      const c10::IValue value = has_integers(tensor) ? c10::IValue(tensor.item().toLong())
                                                     : c10::IValue(tensor.item().toDouble());
      const char* const scalar = is_integer_number ? "aten::Int" : "aten::Float";
      if (const auto exact = number_rule(scalar, {{value, *number}})) {
        guard_rounding(scalar, *exact, {{value, *number}});
        return *exact;
      }
    }
    const Mark unbacked = unbacked_number(name, tensor);
    return unbacked ? unbacked : tensor_number(name, tensor, tensor_mark(tensor, name));
  }
  return default_mark(name, inputs);
}

/// Whether chunk() returns the requested number of chunks. It always does for sizes above
/// (chunks - 1) ** 2, which is then added as a guard.
bool TensorNumbers::guard_chunks(const ir::Dim& size, int64_t current, int64_t requested,
                                 size_t count) {
  constexpr int64_t kMaxChunks = 1 << 15;
  if (requested < 1 || requested > kMaxChunks || static_cast<size_t>(requested) != count)
    return false;
  if (ir::Dim(requested) * floor_div(size, ir::Dim(requested)) == size) return true;
  const int64_t always_above = (requested - 1) * (requested - 1);
  if (current <= always_above) return false;
  decisions_.add_guard({size, ir::Relation::gt, ir::Dim(always_above)});
  return true;
}

/// The mark of the length of a list of tensors that an operation returns.
Mark TensorNumbers::length_mark(const std::string& name, const Stack& inputs,
                                const c10::IValue& parts) {
  if (inputs.empty()) return nullptr;
  if (is_container(inputs[0]) || (inputs.size() > 1 && inputs[1].isList())) {
    return either(marks_.of(inputs[0]), inputs.size() > 1 ? marks_.of(inputs[1]) : nullptr);
  }
  if (!inputs[0].isTensor()) return marks_.reach_all(inputs);
  const at::Tensor& tensor = inputs[0].toTensor();
  const auto axis = [&](size_t argument) {
    const int64_t dim = inputs.size() > argument ? unmarked(inputs[argument]).toInt() : 0;
    return axis_mark(tensor, wrapped_index(dim, tensor.dim()));
  };
  if (name == "aten::unbind") return axis(1);
  const bool by_size = name == "aten::split" || name == "aten::unsafe_split";
  const bool by_count = name == "aten::chunk" || name == "aten::unsafe_chunk";
  if ((by_size || by_count) && inputs.size() == 3) {
    const Mark parameter = marks_.of(inputs[1]), size = axis(2);
    if (!parameter && !size) return nullptr;
    if (!parameter && by_size && is_size(size) && unmarked(inputs[1]).toInt() > 0) {
      const int64_t part = unmarked(inputs[1]).toInt();
      return size_mark(floor_div(*exact_size(size) + ir::Dim(part - 1), ir::Dim(part)));
    }
    if (!parameter && by_count && is_size(size)) {
      const int64_t current = tensor.size(unmarked(inputs[2]).toInt());
      const int64_t requested = unmarked(inputs[1]).toInt();
      if (guard_chunks(*exact_size(size), current, requested, parts.toListRef().size()))
        return nullptr;
    }
    return join(parameter, size);
  }
  constexpr std::array<std::string_view, 6> kByArgument = {
      "aten::tensor_split", "aten::hsplit", "aten::vsplit",
      "aten::dsplit",       "aten::where",  "aten::nonzero_numpy"};
  if (!is_one_of(name, kByArgument)) return default_mark(name, inputs);
  const bool by_tensor = inputs.size() > 1 && inputs[1].isTensor();
  return by_tensor ? tensor_mark(inputs[1].toTensor(), name) : marks_.reach_all(inputs);
}

/// Marks the list of tensors that an operation returns: parts of a tensor, or of another list.
void TensorNumbers::mark_parts(const std::string& name, const Stack& inputs,
                               const c10::IValue& parts) {
  const Mark length = length_mark(name, inputs, parts);
  marks_.set(parts, length);
  const auto size = exact_size(length);
  if (!size || inputs.empty()) return;
  const int64_t count = count_of(parts);
  marks_.set_list_layout(
      parts, inputs[0].isList() ? marks_.list_layout(inputs[0]) : ListLayout{{*size, count}});
}

/// Marks the nested lists of tolist(): their lengths are the tensor's sizes.
void TensorNumbers::mark_lengths(const c10::IValue& list, const at::Tensor& tensor, int64_t axis) {
  if (!list.isList()) return;
  marks_.set(list, axis_mark(tensor, axis));
  for (const c10::IValue& element : list.toListRef()) mark_lengths(element, tensor, axis + 1);
}

c10::IValue TensorNumbers::marked_result(const std::string& name, const Stack& inputs,
                                         const c10::IValue& result) {
  if (result.isTensor()) {
    if (!result.toTensor().defined()) return result;
    follow_number(name, inputs, result.toTensor());
    follow_list(name, inputs, result.toTensor());
    return result;
  }
  if (is_number(result)) {
    const Mark mark = number_of(name, inputs);
    if (is_data(mark) && options_.fixed_numbers == nullptr)
      return marked(result, read_mark(name, inputs, result, mark));
    return marked_number(result, result.isDouble() ? as_float(mark, result.toDouble()) : mark);
  }
  if (result.isNone() || queries_type(name)) return result;
  if (holds_tensors_only(result)) {
    if (result.isList()) mark_parts(name, inputs, result);
    return result;
  }
  if ((name == "aten::size" || name == "aten::sym_size") && result.isList()) {
    c10::impl::GenericList list = result.toList();
    for (size_t axis = 0; axis < list.size(); ++axis)
      list.set(axis, marked_number(list.get(axis),
                                   axis_mark(inputs[0].toTensor(), static_cast<int64_t>(axis))));
    if (recorder_->aliases().is_dynamic_rank(inputs[0].toTensor()))
      marks_.set(result,
                 data_mark(position_.origin("the axes of a tensor, which depend on values")));
    return result;
  }
  const Mark mark = default_mark(name, inputs);
  if (!mark) return result;
  if (name != "prim::tolist" || !result.isList()) return marks_.tainted(result, mark, name);
  marks_.taint_numbers(result, mark);
  mark_lengths(result, inputs[0].toTensor(), 0);
  return result;
}

bool reads_value(const std::string& name) {
  constexpr std::array<std::string_view, 12> kNames = {
      "aten::item",           "aten::Int",         "aten::Float",
      "aten::Bool",           "aten::IntImplicit", "aten::FloatImplicit",
      "aten::ScalarImplicit", "aten::is_nonzero",  "aten::_local_scalar_dense",
      "aten::Complex",        "prims::item",       "aten::ComplexImplicit"};
  return is_one_of(name, kNames);
}

/// The number as a data-dependent size; null if it cannot be a size.
Mark TensorNumbers::unbacked_number(const std::string& name, const at::Tensor& tensor) {
  constexpr std::array<std::string_view, 6> kIntegers = {
      "aten::item",           "aten::Int",   "aten::IntImplicit",
      "aten::ScalarImplicit", "prims::item", "aten::_local_scalar_dense"};
  constexpr int64_t kMost = 1 << 20;
  // int() of floats rounds towards zero.
  const bool is_integer = at::isIntegralType(tensor.scalar_type(), false) ||
                          (name == "aten::Int" && at::isFloatingType(tensor.scalar_type()));
  if (!is_one_of(name, kIntegers) || !is_integer || tensor.numel() != 1 ||
      !is_data(recorder_->mark(tensor)))
    return nullptr;
  if (options_.met_unbacked_sizes != nullptr) *options_.met_unbacked_sizes = true;
  if (options_.met_read_numbers != nullptr) *options_.met_read_numbers = true;
  const double number = tensor.item().toDouble();
  if (!options_.read_sizes || !(number > -1 && number <= kMost)) return nullptr;
  ComputedNumbers computed(position_, marks_, recorder_);
  const at::Tensor integer = computed.recorded(
      "aten::to", "dtype", {tensor, static_cast<int64_t>(at::kLong), false, false, c10::IValue()});
  const at::Tensor flat =
      computed.recorded("aten::reshape", "", {integer, std::vector<int64_t>{1}});
  const at::Tensor entries =
      computed.recorded("aten::repeat_interleave", "Tensor", {flat, c10::IValue()});
  const ir::ValueId value = recorder_->value(entries, position_.location());
  return size_mark(ir::size_symbol(graph_, value, 0));
}

/// The mark of a number that was read from data, with the formula by which the graph computes it.
Mark TensorNumbers::read_mark(const std::string& name, const torch::jit::Stack& inputs,
                              const c10::IValue& number, const Mark& mark) {
  const bool is_qparam = name == "aten::q_scale" || name == "aten::q_zero_point";
  if (is_qparam && recorder_->mark(inputs.at(0).toTensor())) {
    ComputedNumbers computed(position_, marks_, recorder_);
    const at::Tensor number_tensor = computed.recorded_number(name.c_str(), inputs);
    return data_mark(origin_of(mark),
                     read_formula(number_tensor, recorder_->aliases().version(number_tensor),
                                  type_of_number(number)));
  }
  if (!reads_value(name) || inputs.size() != 1 || !inputs[0].isTensor()) return mark;
  const at::Tensor& tensor = inputs[0].toTensor();
  if (!tensor.defined() || tensor.numel() != 1 || !is_data(recorder_->mark(tensor)) ||
      tensor.is_quantized() || tensor.is_complex() || recorder_->aliases().is_dynamic_shape(tensor))
    return mark;
  return data_mark(origin_of(mark), read_formula(tensor, recorder_->aliases().version(tensor),
                                                 type_of_number(number)));
}

/// Every sequence has a first step, so the first batch size is the batch's size.
void TensorNumbers::note_packed(const std::string& name, const torch::jit::Stack& inputs,
                                const std::vector<at::Tensor>& outputs) {
  if (name == "aten::_pack_padded_sequence") {
    const int64_t batch = inputs.at(2).toBool() ? 0 : 1;
    batch_sizes_.emplace_back(outputs.at(1), axis_mark(inputs[0].toTensor(), batch));
  } else if (name == "aten::select" && !batch_sizes_.empty() && inputs.size() == 3 &&
             inputs[1].isInt() && is_first(inputs[1]) && is_first(inputs[2])) {
    if (const auto batch = find(batch_sizes_, inputs[0].toTensor()))
      full_batches_.emplace_back(outputs.at(0), *batch);
  }
}

std::optional<Mark> TensorNumbers::full_batch(const at::Tensor& tensor) const {
  return find(full_batches_, tensor);
}

}  // namespace t2n::trace
