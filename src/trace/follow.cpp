// Marks of the numbers that tensor operations give: they follow from sizes, from values, or are
// lists whose length follows from one of these.
#include <ATen/core/Tensor.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "ir/quantised_steps.h"
#include "src/diag/error.h"
#include "src/diag/one_of.h"
#include "src/trace/tensor_numbers.h"

namespace t2n::trace {
namespace {

using torch::jit::Stack;

/// True for questions with one answer for every input of the model: they ask for the kind of a
/// tensor, never for its size or values.
bool asks_kind(const std::string& name) {
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

bool asks_contiguity(const std::string& name) {
  return name == "aten::is_contiguous" || name == "aten::sym_is_contiguous";
}

/// True for questions about the memory layout, which follows from sizes alone.
bool asks_layout(const std::string& name) {
  constexpr std::array<std::string_view, 9> kNames = {
      "aten::stride",          "aten::storage_offset",
      "aten::sym_stride",      "aten::sym_storage_offset",
      "prim::nbytes",          "aten::nbytes",
      "aten::is_same_size",    "aten::is_set_to",
      "aten::_shape_as_tensor"};
  return is_one_of(name, kNames);
}

bool is_whole(const at::Tensor& tensor) { return at::isIntegralType(tensor.scalar_type(), false); }

int64_t from_front(int64_t index, int64_t count) { return index < 0 ? index + count : index; }

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

}  // namespace

Mark TensorNumbers::axis_mark(const at::Tensor& tensor, int64_t axis) const {
  if (recorder_->aliases().is_open_shape(tensor))
    return data_mark(position_.origin("the size of a tensor that follows from values"));
  if (!options_.keep_sizes || !recorder_->mark(tensor)) return nullptr;
  const ir::ValueId value = recorder_->sized_value(tensor, position_.place());
  return size_mark(ir::size_symbol(graph_, value, axis));
}

/// The mark of everything that a tensor's sizes and memory layout follow from.
Mark TensorNumbers::layout_mark(const at::Tensor& tensor) {
  if (recorder_->aliases().is_choice(tensor))
    return data_mark(position_.origin("which of two tensors a branch chose"));
  Mark out;
  for (int64_t axis = 0; axis < tensor.dim(); ++axis)
    if (const Mark size = axis_mark(tensor, axis)) out = join(out, size);
  return out;
}

/// The program asks whether a tensor is contiguous: the file holds for sizes with the same answer.
void TensorNumbers::settle_layout(const at::Tensor& tensor) {
  if (options_.keep_sizes) decisions_.settle_all(recorder_->layout_conditions(tensor));
}

/// Whether the sizes of an operation's results follow from values that are not constant.
bool TensorNumbers::decides_by_data(const std::string& name, const Stack& inputs) {
  if (!reads_.decided_shapes(name, inputs)) return false;
  if (name == "aten::repeat_interleave") {
    const bool has_input = inputs.size() > 1 && inputs[1].isTensor();
    return recorder_->mark(inputs[has_input ? 1 : 0].toTensor()) != nullptr;
  }
  if (name == "aten::tensor_split") return recorder_->mark(inputs[1].toTensor()) != nullptr;
  if (name != "aten::masked_select" && name != "aten::index") return true;
  const std::vector<at::Tensor> operands = flatten_tensors(inputs.at(1));
  return std::any_of(operands.begin(), operands.end(), [&](const at::Tensor& mask) {
    const bool selects = mask.scalar_type() == at::kBool || mask.scalar_type() == at::kByte;
    return selects && recorder_->mark(mask);
  });
}

/// The mark of a number that is read from a tensor.
Mark TensorNumbers::tensor_mark(const at::Tensor& tensor, const std::string& name) {
  const Mark mark = recorder_->mark(tensor);
  return is_data(mark) ? data_mark(position_.origin(name)) : mark;
}

/// The mark of a number over sizes that only a tensor of the graph holds.
Mark TensorNumbers::held_number(const std::string& name, const at::Tensor& tensor,
                                const Mark& mark) const {
  const bool is_plain = tensor.numel() == 1 && !tensor.is_quantized() && !tensor.is_complex();
  if (!is_opaque(mark) || depends_on_iteration(mark) || !is_plain) return mark;
  const bool is_truth = name == "aten::Bool" || tensor.scalar_type() == at::kBool;
  const bool is_real = name.starts_with("aten::Float") || at::isFloatingType(tensor.scalar_type());
  const FormulaType type = is_truth                                    ? FormulaType::truth
                           : name.starts_with("aten::Int") || !is_real ? FormulaType::whole
                                                                       : FormulaType::real;
  MarkInfo info = *mark;
  info.formula = read_formula(tensor, recorder_->aliases().version(tensor), type);
  return std::make_shared<const MarkInfo>(std::move(info));
}

/// The mark of everything that the operands follow from.
Mark TensorNumbers::default_mark(const std::string& name, const Stack& inputs) {
  Mark out = marks_.reach_all(inputs);
  const auto add = [&](const Mark& mark) { out = either(out, mark); };
  for (const c10::IValue& input : inputs)
    for (const at::Tensor& tensor : flatten_tensors(input)) {
      if (!asks_layout(name)) add(tensor_mark(tensor, name));
      if (const Mark sizes = layout_mark(tensor)) add(sizes);
    }
  return is_data(out) ? data_mark(position_.origin(name)) : out;
}

Mark TensorNumbers::number_of(const std::string& name, const Stack& inputs) {
  const bool is_open_rank =
      inputs[0].isTensor() && recorder_->aliases().is_open_rank(inputs[0].toTensor());
  if (is_open_rank && (name == "aten::dim" || !asks_kind(name)))
    return data_mark(position_.origin("the axes of a tensor, which follow from values"));
  if (asks_kind(name)) return marks_.reach_all(c10::ArrayRef<c10::IValue>(inputs).slice(1));
  if (!inputs[0].isTensor() || !inputs[0].toTensor().defined()) return default_mark(name, inputs);
  const at::Tensor& tensor = inputs[0].toTensor();
  if (asks_contiguity(name)) {
    const Mark asked = marks_.reach_all(c10::ArrayRef<c10::IValue>(inputs).slice(1));
    const Mark sizes = layout_mark(tensor);
    if (!is_data(sizes)) settle_layout(tensor);
    return is_data(sizes) ? sizes : asked;
  }
  if (ir::asks_step(name) && recorder_->mark(tensor) &&
      !ir::has_step_from_data(graph_, recorder_->sized_value(tensor, position_.place())))
    return nullptr;
  if (name == "aten::len") return axis_mark(tensor, 0);
  if (name == "aten::size" || name == "aten::sym_size") {
    const Mark asked = marks_.of(inputs[1]);
    const Mark size = axis_mark(tensor, from_front(unmarked(inputs[1]).toInt(), tensor.dim()));
    return asked ? join(asked, size) : size;
  }
  if (name == "aten::numel" || name == "aten::sym_numel") {
    ir::Dim count = 1;
    for (int64_t axis = 0; axis < tensor.dim(); ++axis) {
      const Mark size = axis_mark(tensor, axis);
      if (is_data(size)) return size;
      count = count * (size ? size->size : ir::Dim(tensor.size(axis)));
    }
    return size_mark(count);
  }
  if (reads_value(name) && inputs.size() == 1) {
    if (const auto batch = whole_batch(tensor)) return *batch;
    if (const auto number = number_mark(tensor)) {
      const bool is_whole_number = is_whole(tensor) || name == "aten::Int";
      const c10::IValue value = is_whole(tensor) ? c10::IValue(tensor.item().toLong())
                                                 : c10::IValue(tensor.item().toDouble());
      const char* const scalar = is_whole_number ? "aten::Int" : "aten::Float";
      if (const auto exact = number_rule(scalar, {{value, *number}})) {
        settle_rounding(scalar, *exact, {{value, *number}});
        return *exact;
      }
    }
    const Mark unbacked = unbacked_number(name, tensor);
    return unbacked ? unbacked : held_number(name, tensor, tensor_mark(tensor, name));
  }
  return default_mark(name, inputs);
}

/// Whether chunk() gives as many parts as requested; it always does above (parts - 1) ** 2.
bool TensorNumbers::settle_chunks(const ir::Dim& size, int64_t now, int64_t asked, size_t given) {
  constexpr int64_t kMost = 1 << 15;
  if (asked < 1 || asked > kMost || static_cast<size_t>(asked) != given) return false;
  if (ir::Dim(asked) * floor_div(size, ir::Dim(asked)) == size) return true;
  const int64_t most = (asked - 1) * (asked - 1);
  if (now <= most) return false;
  decisions_.settle(comparison_mark({size, ir::Relation::gt, ir::Dim(most)}), true);
  return true;
}

/// The mark of a list of tensors that an operation gives: what its length follows from.
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
    return axis_mark(tensor, from_front(dim, tensor.dim()));
  };
  if (name == "aten::unbind") return axis(1);
  const bool by_size = name == "aten::split" || name == "aten::unsafe_split";
  const bool by_count = name == "aten::chunk" || name == "aten::unsafe_chunk";
  if ((by_size || by_count) && inputs.size() == 3) {
    const Mark asked = marks_.of(inputs[1]), size = axis(2);
    if (!asked && !size) return nullptr;
    if (!asked && by_size && is_size(size) && unmarked(inputs[1]).toInt() > 0) {
      const int64_t part = unmarked(inputs[1]).toInt();
      return size_mark(floor_div(size->size + ir::Dim(part - 1), ir::Dim(part)));
    }
    if (!asked && by_count && is_size(size)) {
      const int64_t now = tensor.size(unmarked(inputs[2]).toInt());
      const int64_t wanted = unmarked(inputs[1]).toInt();
      if (settle_chunks(size->size, now, wanted, parts.toListRef().size())) return nullptr;
    }
    return join(asked, size);
  }
  constexpr std::array<std::string_view, 6> kCounted = {
      "aten::tensor_split", "aten::hsplit", "aten::vsplit",
      "aten::dsplit",       "aten::where",  "aten::nonzero_numpy"};
  if (!is_one_of(name, kCounted)) return default_mark(name, inputs);
  const bool by_tensor = inputs.size() > 1 && inputs[1].isTensor();
  return by_tensor ? tensor_mark(inputs[1].toTensor(), name) : marks_.reach_all(inputs);
}

/// Marks the list of tensors that an operation splits a tensor into, or makes of another list.
void TensorNumbers::mark_parts(const std::string& name, const Stack& inputs,
                               const c10::IValue& parts) {
  const Mark length = length_mark(name, inputs, parts);
  marks_.set(parts, length);
  if (!is_size(length) || inputs.empty()) return;
  const auto count = static_cast<int64_t>(parts.toListRef().size());
  marks_.set_list_layout(parts, inputs[0].isList() ? marks_.list_layout(inputs[0])
                                                   : ListLayout{{length->size, count}});
}

/// Marks the lists that tolist() gives: they are as long as the tensor's axes.
void TensorNumbers::mark_lengths(const c10::IValue& list, const at::Tensor& tensor, int64_t axis) {
  if (!list.isList()) return;
  marks_.set(list, axis_mark(tensor, axis));
  for (const c10::IValue& element : list.toListRef()) mark_lengths(element, tensor, axis + 1);
}

c10::IValue TensorNumbers::followed(const std::string& name, const Stack& inputs,
                                    const c10::IValue& result) {
  if (result.isTensor()) {
    if (!result.toTensor().defined()) return result;
    follow_number(name, inputs, result.toTensor());
    follow_list(name, inputs, result.toTensor());
    return result;
  }
  if (is_number(result)) {
    const Mark mark = number_of(name, inputs);
    if (is_data(mark)) return marked(result, read_mark(name, inputs, result, mark));
    return marked(result, result.isDouble() ? as_real(mark, result.toDouble()) : mark);
  }
  if (result.isNone() || asks_kind(name)) return result;
  if (holds_tensors_only(result)) {
    if (result.isList()) mark_parts(name, inputs, result);
    return result;
  }
  if ((name == "aten::size" || name == "aten::sym_size") && result.isList()) {
    c10::impl::GenericList list = result.toList();
    for (size_t axis = 0; axis < list.size(); ++axis)
      list.set(axis,
               marked(list.get(axis), axis_mark(inputs[0].toTensor(), static_cast<int64_t>(axis))));
    if (recorder_->aliases().is_open_rank(inputs[0].toTensor()))
      marks_.set(result,
                 data_mark(position_.origin("the axes of a tensor, which follow from values")));
    return result;
  }
  const Mark mark = default_mark(name, inputs);
  if (!mark) return result;
  if (name != "prim::tolist" || !result.isList()) return marks_.tainted(result, mark, name);
  marks_.taint_numbers(result, mark);
  mark_lengths(result, inputs[0].toTensor(), 0);
  return result;
}

}  // namespace t2n::trace
