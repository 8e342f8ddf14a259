// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/run/tensor_operations.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <array>

#include "ir/op_traits.h"
#include "src/diag/error.h"
#include "src/diag/one_of.h"
#include "src/frontend/load/operators.h"
#include "src/frontend/record/computed_numbers.h"
#include "src/frontend/record/packed_tables.h"
#include "src/frontend/run/mask_indices.h"
#include "src/frontend/state/observers.h"

namespace t2n::trace {
namespace {

using torch::jit::Node;
using torch::jit::Operator;
using torch::jit::Stack;

/// True for LibTorch's fake quantisers that contain an observer.
bool has_observer(const std::string& name) { return name.find("_moving_avg_obs_f") != name.npos; }

bool is_observing(const std::string& name, const Stack& inputs) {
  return has_observer(name) && inputs.size() > 1 && inputs[1].isTensor() &&
         inputs[1].toTensor().item().toInt() != 0;
}

/// In-place dropout, norms with stored statistics, and observers write nothing outside of training,
/// except for an observer's earlier results.
bool is_inert_write(const std::string& name, const Stack& inputs) {
  if (has_observer(name)) return !is_observing(name, inputs);
  if (name == "aten::_native_batch_norm_legit") return inputs.size() == 8 && !inputs[5].toBool();
  return name.find("dropout_") != std::string::npos && inputs.size() == 3 && inputs[2].isBool() &&
         !inputs[2].toBool();
}

/// True if the operation writes to tensors. Writes to containers (append, _set_item) just execute.
bool writes_tensors(const c10::FunctionSchema& schema, const Stack& inputs) {
  if (!schema.is_mutable() || is_inert_write(schema.name(), inputs)) return false;
  for (size_t i = 0; i < inputs.size() && i < schema.arguments().size(); ++i)
    if (is_written(schema.arguments()[i]) && !flatten_tensors(inputs[i]).empty()) return true;
  return false;
}

/// True for operations that sort, search or remove elements of a list of tensors by their values.
bool compares_tensors(const std::string& name, const Stack& inputs) {
  constexpr std::array<std::string_view, 6> kNames = {"aten::sort",   "aten::sorted",
                                                      "aten::remove", "aten::index",
                                                      "aten::count",  "aten::__contains__"};
  return !inputs.empty() && inputs[0].isTensorList() && is_one_of(name, kNames);
}

/// True if torch updates running statistics in training. The schema does not say so.
bool updates_statistics(const std::string& name, const Stack& inputs) {
  const bool is_batch_norm = name == "aten::batch_norm" || name == "aten::native_batch_norm" ||
                             name == "aten::instance_norm";
  return is_batch_norm && inputs.size() > 5 && inputs[3].isTensor() &&
         inputs[3].toTensor().defined() && inputs[5].toBool();
}

/// Scale and zero point of an observer: a disabled one still overwrites them by its statistics.
class StatisticsWatch {
 public:
  StatisticsWatch(const std::string& name, const Stack& inputs) {
    if (!has_observer(name)) return;
    for (const size_t i : {size_t{5}, size_t{6}})
      if (i < inputs.size() && inputs[i].isTensor())
        before_.emplace_back(inputs[i].toTensor(), inputs[i].toTensor().clone());
  }

  std::vector<at::Tensor> changed() const {
    std::vector<at::Tensor> out;
    for (const auto& [now, before] : before_)
      if (!now.equal(before)) out.push_back(now);
    return out;
  }

 private:
  std::vector<std::pair<at::Tensor, at::Tensor>> before_;
};

/// The operands without those that only receive results (`out=`).
Stack without_out(const c10::FunctionSchema& schema, const Stack& inputs) {
  Stack out;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (i >= schema.arguments().size() || !schema.arguments()[i].is_out()) out.push_back(inputs[i]);
  return out;
}

std::vector<at::Tensor> flatten_all(const Stack& stack) {
  std::vector<at::Tensor> out;
  for (const c10::IValue& value : stack)
    for (at::Tensor& tensor : flatten_tensors(value)) out.push_back(std::move(tensor));
  return out;
}

bool knows_all(const Recorder& recorder, const std::vector<at::Tensor>& tensors) {
  return std::all_of(tensors.begin(), tensors.end(),
                     [&](const at::Tensor& tensor) { return recorder.aliases().knows(tensor); });
}

/// An element of a dictionary of the model is a constant of the model, not a result.
bool reads_dict(const Stack& inputs) { return !inputs.empty() && inputs[0].isGenericDict(); }

/// The rank-0 constant that torch treats as a Python number: the second operand of an arithmetic
/// operation (torch/csrc/jit/passes/canonicalize_ops.cpp). Undefined if the node has no such
/// operand.
at::Tensor traced_number(const Node* node, const Stack& inputs) {
  constexpr std::array<std::string_view, 4> kArithmetic = {"aten::add", "aten::sub", "aten::mul",
                                                           "aten::div"};
  if (inputs.size() < 2 || !inputs[1].isTensor() || !inputs[1].toTensor().defined() ||
      inputs[1].toTensor().dim() != 0 || !is_one_of(node->kind().toQualString(), kArithmetic) ||
      node->input(1)->node()->kind() != c10::prim::Constant)
    return {};
  return inputs[1].toTensor();
}

/// While an object lives, the tensor promotes as a number does: integers to the default type.
class AsNumber {
 public:
  explicit AsNumber(at::Tensor tensor) : tensor_(std::move(tensor)) { mark(true); }
  ~AsNumber() { mark(false); }
  AsNumber(const AsNumber&) = delete;
  AsNumber& operator=(const AsNumber&) = delete;

 private:
  void mark(bool is_number) {
    if (tensor_.defined()) tensor_.unsafeGetTensorImpl()->set_wrapped_number(is_number);
  }
  at::Tensor tensor_;
};

Operation nonzero_indices() {
  const auto op = torch::jit::findOperatorFor(c10::OperatorName("aten::nonzero_numpy", ""));
  T2N_ASSERT(op != nullptr, "torch has no aten::nonzero_numpy");
  return {op.get(), make_run(op->getOperation()), false, true, false};
}

}  // namespace

/// torch.tensor([[1, 2], [3, 4]]) is not recorded: its result is a constant of the model.
bool TensorOperations::is_literal(const Stack& inputs) {
  const bool is_nested = std::any_of(inputs.begin(), inputs.end(), [](const c10::IValue& value) {
    return value.isList() && !value.toListRef().empty() && value.toListRef()[0].isList() &&
           flatten_tensors(value).empty();
  });
  if (!is_nested) return false;
  const Mark mark = marks_.reach_all(inputs);
  if (is_data(mark))
    throw Error(
        "data-dependent-value", "a tensor is made of numbers read from a tensor's values",
        cat("they come from ", origin_of(mark), "; the exported model would fix those of this run"),
        "use torch.stack, or compute it with tensor operations");
  decisions_.note_number(mark, c10::IValue("in a nested list"));
  return true;
}

/// Integers are recorded as expressions. Integers without an expression, and all other numbers, are
/// recorded with their value in this run.
void TensorOperations::note_numbers(const torch::jit::Node* node, const torch::jit::Stack& inputs,
                                    bool is_computable, bool reads_number) {
  const bool is_computed =
      reads_number || (is_computable && options_.computed_numbers.contains(node));
  for (const c10::IValue& input : inputs) {
    if (input.isTensor() || input.isNone()) continue;
    if (is_number(input)) {
      const Mark mark = mark_of(input);
      if (!is_opaque(mark) || (is_computed && formula_of(mark))) continue;
      if (depends_on_iteration(mark)) continue;  // the recorder refuses it and names the argument
      if (Decision* noted = decisions_.note_number(mark, input))
        noted->is_computable = is_computable && formula_of(mark) != nullptr;
      continue;
    }
    if (!input.isList()) {
      decisions_.note_number(marks_.reach(input), input);
      continue;
    }
    if (is_opaque(marks_.of(input))) decisions_.note_number(marks_.of(input), input);
    if (is_size(marks_.of(input))) lists_.guard_argument(input);
    const auto list = input.toListRef();
    const bool are_ints = std::all_of(list.begin(), list.end(), [](const c10::IValue& element) {
      return unmarked(element).isInt();
    });
    for (const c10::IValue& element : list)
      if (const Mark mark = marks_.reach(element); is_opaque(mark) || !are_ints)
        decisions_.note_number(mark, element);
  }
}

/// Whether numbers over sizes are operations of the graph, not attributes.
bool TensorOperations::is_computed(const Node* node, const Stack& inputs) const {
  return options_.computed_numbers.contains(node) || has_iteration_number(inputs);
}

/// The operation as it is recorded.
OpCall TensorOperations::prepare(Node* node, const Operation& operation, const Stack& inputs) {
  const Operator& op = *operation.op;
  ComputedNumbers computed(position_, marks_, recorder_);
  const bool reads_number = ComputedNumbers::takes_read_number(op.schema(), inputs);
  if (!options_.keep_sizes && reads_number) return computed.prepare(op.schema(), inputs);
  if (!options_.keep_sizes)
    return recorder_->prepare(op, operation.run, inputs, marks_, position_.location());
  const bool is_computable = ComputedNumbers::has_tensor_form(op.schema(), inputs) ||
                             ComputedNumbers::fills(op.schema().name(), inputs);
  note_numbers(node, inputs, is_computable, reads_number);
  if (reads_number || (is_computable && is_computed(node, inputs)))
    return computed.prepare(op.schema(), inputs);
  return recorder_->prepare(op, operation.run, inputs, marks_, position_.location());
}

/// Whether the operation's results have data-dependent sizes that become new symbols.
bool TensorOperations::gives_unbacked_sizes(const std::string& name) const {
  if (!has_trait(name, ir::OpTrait::gives_unbacked_size)) return false;
  if (options_.met_unbacked_sizes != nullptr) *options_.met_unbacked_sizes = true;
  return options_.unbacked_sizes;
}

/// Whether every operand is a part of the model, or was computed only from such parts.
bool TensorOperations::is_input_independent(const Stack& inputs) const {
  const std::vector<at::Tensor> tensors = flatten_all(inputs);
  return !marks_.reach_all(inputs) &&
         std::none_of(tensors.begin(), tensors.end(),
                      [this](const at::Tensor& each) { return recorder_->mark(each) != nullptr; });
}

/// Refuses operations with effects that the graph cannot express.
void TensorOperations::refuse_hidden_effects(const std::string& name, const Stack& inputs) {
  if (is_observing(name, inputs))
    throw Error("unsupported-inplace", "a quantiser updates its statistics with every call",
                "its observer is on, and a file cannot express the update", kSwitchOff);
  if (compares_tensors(name, inputs))
    for (const at::Tensor& tensor : flatten_tensors(inputs[0]))
      if (is_data(recorder_->mark(tensor)))
        throw Error("data-dependent-value",
                    cat(name, " depends on the values of the tensors in a list"),
                    "the exported model would fix the order of this run",
                    "stack the tensors, and sort or compare them as one");
}

/// An operation that returns its operand is not recorded. Whether it returns its operand must not
/// depend on numbers that change with the inputs.
void TensorOperations::check_unrecorded(const c10::FunctionSchema& schema, const Stack& inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Mark mark = inputs[i].isTensor() ? nullptr : marks_.reach(inputs[i]);
    if (!mark || holds_tensors(inputs[i])) continue;
    if (is_data(mark))
      throw Error("data-dependent-value",
                  cat("the argument ",
                      quoted(i < schema.arguments().size() ? schema.arguments()[i].name() : "?"),
                      " of ", schema.name(), " is read from a tensor's values"),
                  cat("it comes from ", origin_of(mark),
                      "; the exported model would fix the number of this run"),
                  "make it a constant of the model");
    decisions_.note_number(is_size(mark) ? opaque_mark(sizes_of(mark)) : mark, inputs[i]);
  }
}

/// as_strided counts from the beginning of the memory. It is recorded on the tensor that owns the
/// memory, with the same result.
void TensorOperations::stride_owner(const std::string& name, Stack& inputs) {
  if (!name.starts_with("aten::as_strided") || !inputs[0].isTensor()) return;
  const at::Tensor self = inputs[0].toTensor();
  const size_t offset = inputs.size() - 1;
  if (self.is_contiguous() && self.storage_offset() == 0) return;
  const auto owner = recorder_->aliases().owner(self);
  if (!owner || name != "aten::as_strided")
    throw Error("unsupported-argument", cat(name, " of a view cannot be exported"),
                "its offset counts from the beginning of another tensor's memory",
                "call contiguous() first, or use unfold(), slices and transpose()");
  if (inputs[offset].isNone()) inputs[offset] = self.storage_offset();
  inputs[0] = *owner;
}

/// contiguous() returns its operand if it is contiguous and copies it otherwise, which depends on
/// sizes. As a view, the result is a tensor separate from the operand.
bool TensorOperations::make_alias(const std::string& name, const Stack& inputs, Stack& results) {
  if (name != "aten::contiguous" || !results.at(0).toTensor().is_same(inputs[0].toTensor()))
    return false;
  // With two elements and more along an axis, the order of strides is the same at all sizes.
  const auto holds_from_two = [](const ir::Comparison& each) {
    return each.relation == ir::Relation::ge && each.right == ir::Dim(2);
  };
  if (std::ranges::all_of(recorder_->layout_conditions(inputs[0].toTensor()), holds_from_two))
    return false;
  results[0] = at::alias(inputs[0].toTensor());
  return true;
}

/// Traced programs pass narrow() and repeat_interleave() tensors of rank 0: these become numbers.
Operation TensorOperations::with_numbers(const Operation& operation, Stack& inputs) {
  const std::string& name = operation.op->schema().name();
  const bool repeats = name == "aten::repeat_interleave";
  const size_t at = repeats ? 1 : 2;
  if (recorder_ == nullptr || !(repeats || name == "aten::narrow") || !inputs.at(at).isTensor())
    return operation;
  const auto number = numbers_.number_in(inputs[at].toTensor());
  if (!number) return operation;
  const auto op = torch::jit::findOperatorFor(c10::OperatorName(name, repeats ? "self_int" : ""));
  T2N_ASSERT(op, "no overload with a number");
  inputs[at] = *number;
  Operation result = operation;
  result.op = op.get();
  result.run = make_run(op->getOperation());
  return result;
}

void TensorOperations::broadcast_masks(Node* node, const std::string& name, Stack& inputs) {
  if (inputs.size() < 2 || !needs_indices(name, inputs[1], marks_, *recorder_)) return;
  const Operation nonzero = nonzero_indices();
  const c10::List<c10::IValue> indices = inputs[1].toList();
  c10::List<c10::IValue> unmasked(indices.elementType());
  for (const c10::IValue& index : indices.vec())
    if (!is_mask(index))
      unmasked.push_back(index);
    else
      for (const at::Tensor& each : run(node, nonzero, {index}).at(0).toTensorVector())
        unmasked.push_back(each);
  inputs[1] = unmasked;
}

/// Brings operands into the form of the graph.
void TensorOperations::normalise_operands(Node* node, const std::string& name, Stack& inputs) {
  refuse_hidden_effects(name, inputs);
  stride_owner(name, inputs);
  broadcast_masks(node, name, inputs);
}

void TensorOperations::invalidate_statistics(const std::string& name, const Stack& inputs) {
  if (!updates_statistics(name, inputs)) return;
  for (const size_t statistic : {size_t{3}, size_t{4}})
    recorder_->invalidate(inputs[statistic].toTensor(), position_.location());
}

Stack TensorOperations::run(Node* node, const Operation& called, Stack operands) {
  if (auto result = sparse_.run(called, operands)) return {*std::move(result)};
  const Operation operation = with_numbers(called, operands);
  const Operator& op = *operation.op;
  const std::string& name = op.schema().name();
  if (recorder_ != nullptr) normalise_operands(node, name, operands);
  Stack inputs;
  for (const c10::IValue& value : operands) inputs.push_back(marks_.without(value));
  const AsNumber number(traced_number(node, inputs));
  Stack stack = inputs;
  if (op.schema().is_vararg() && op.hasOperation())
    stack.emplace_back(static_cast<int64_t>(inputs.size()));
  // A write is prepared before it changes its operands, any other operation after it ran.
  std::optional<OpCall> write;
  const bool writes = writes_tensors(op.schema(), inputs);
  state_.touches_containers(op.schema(), inputs, position_);
  const bool computes = is_computed(node, operands);
  if (recorder_ != nullptr)
    if (auto result = ComputedNumbers(position_, marks_, recorder_)
                          .record_from_numbers(name, operands, computes))
      return {*std::move(result)};
  if (writes) state_.writes_tensors(op.schema(), inputs, position_);
  if (recorder_ != nullptr && writes) write = prepare(node, operation, operands);
  const StatisticsWatch statistics(name, inputs);
  numbers_.watch(name, operands);
  operations_.execute(operation, stack, [this](const at::Tensor& tensor) {
    return recorder_ == nullptr ? std::string() : recorder_->input_of(tensor);
  });
  // Before anything else runs, because other runs are watched as well.
  const bool is_dynamic = recorder_ != nullptr && numbers_.has_data_dependent_sizes(name, inputs);
  const bool is_alias =
      recorder_ != nullptr && options_.keep_sizes && make_alias(name, inputs, stack);
  const std::vector<at::Tensor> outputs = flatten_all(stack);
  if (ranges_ != nullptr) ranges_->observe(name, inputs, outputs);
  if (recorder_ == nullptr) return stack;
  if (write) {
    recorder_->record_write(std::move(*write), outputs);
    for (const ir::Dim& size : recorder_->regions().take_overlaps())
      decisions_.note(opaque_mark(size), 0, Decision::Kind::overlap);
  } else if (is_packing(name, outputs) && is_input_independent(operands)) {
    // The result is a constant of the model.
  } else if (!knows_all(*recorder_, outputs) && !is_literal(operands) && !reads_dict(inputs)) {
    recorder_->record(prepare(node, operation, operands), outputs);
  } else if (!outputs.empty() && !reads_dict(inputs)) {
    check_unrecorded(op.schema(), operands);
  }
  invalidate_statistics(name, inputs);
  for (const at::Tensor& each : statistics.changed())
    recorder_->invalidate(each, position_.location());
  if ((is_dynamic && !gives_unbacked_sizes(name)) || recorder_->aliases().has_dynamic_shape(inputs))
    recorder_->mark_dynamic_shapes(outputs, without_out(op.schema(), inputs),
                                   name.find("squeeze") != std::string::npos);
  if (has_trait(name, ir::OpTrait::copies_by_layout))
    recorder_->relies_on_layout(inputs[0].toTensor(), outputs.at(0), is_alias);
  decisions_.add_guards(recorder_->regions().take_relied());
  numbers_.note_packed(name, operands, outputs);
  for (const c10::IValue& result : stack) loops_.note_created(result);
  for (c10::IValue& result : stack) result = numbers_.marked_result(name, operands, result);
  return stack;
}

}  // namespace t2n::trace
