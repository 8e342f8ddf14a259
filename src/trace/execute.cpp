// The interpreter's operations: run through torch's dispatcher, watched, and handed to the
// recorder.
#include <ATen/Functions.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "ir/op_traits.h"
#include "src/diag/error.h"
#include "src/diag/one_of.h"
#include "src/diag/printable.h"
#include "src/model_file/allowed.h"
#include "src/trace/half.h"
#include "src/trace/interpreter.h"
#include "src/trace/memory.h"
#include "src/trace/operators.h"
#include "src/trace/torch_error.h"

namespace t2n::trace {
namespace {

using torch::jit::Node;
using torch::jit::Operator;
using torch::jit::Stack;

/// In-place dropout, and norms with stored statistics, outside of training: nothing is written.
bool is_inert_write(const std::string& name, const Stack& inputs) {
  if (name == "aten::_native_batch_norm_legit") return inputs.size() == 8 && !inputs[5].toBool();
  return name.find("dropout_") != std::string::npos && inputs.size() == 3 && inputs[2].isBool() &&
         !inputs[2].toBool();
}

/// Baked calls of .cuda() and .pin_memory() ask for hardware that need not be here.
bool is_move(const std::string& name) { return name == "aten::cuda" || name == "aten::pin_memory"; }

/// Writes to lists and dictionaries (append, _set_item) just execute.
bool writes_tensors(const c10::FunctionSchema& schema, const Stack& inputs) {
  if (!schema.is_mutable() || is_inert_write(schema.name(), inputs)) return false;
  for (size_t i = 0; i < inputs.size() && i < schema.arguments().size(); ++i)
    if (is_written(schema.arguments()[i]) && !flatten_tensors(inputs[i]).empty()) return true;
  return false;
}

/// They order, look for or take away elements of a list of tensors by the tensors' values.
bool compares_tensors(const std::string& name, const Stack& inputs) {
  constexpr std::array<std::string_view, 6> kNames = {"aten::sort",   "aten::sorted",
                                                      "aten::remove", "aten::index",
                                                      "aten::count",  "aten::__contains__"};
  return !inputs.empty() && inputs[0].isTensorList() && is_one_of(name, kNames);
}

/// Running statistics that torch changes in training, which the schema does not say.
bool updates_statistics(const std::string& name, const Stack& inputs) {
  const bool is_batch_norm = name == "aten::batch_norm" || name == "aten::native_batch_norm" ||
                             name == "aten::instance_norm";
  return is_batch_norm && inputs.size() > 5 && inputs[3].isTensor() &&
         inputs[3].toTensor().defined() && inputs[5].toBool();
}

/// The operands but those that only take the results.
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
                     [&](const at::Tensor& tensor) { return recorder.knows(tensor); });
}

/// What a dictionary of the model holds is a constant of the model, not a result.
bool reads_dictionary(const Stack& inputs) { return !inputs.empty() && inputs[0].isGenericDict(); }

bool mentions_tensors(const c10::Argument& argument) {
  return argument.type()->annotation_str().find("Tensor") != std::string::npos;
}

bool has_tensors(const c10::FunctionSchema& schema) {
  return std::any_of(schema.arguments().begin(), schema.arguments().end(), mentions_tensors) ||
         std::any_of(schema.returns().begin(), schema.returns().end(), mentions_tensors);
}

/// These do not look into the elements of a container, tensors or not.
bool is_blind(const std::string& name) {
  constexpr std::array<std::string_view, 4> kNames = {"aten::len", "aten::__contains__",
                                                      "aten::__is__", "aten::__isnot__"};
  return is_one_of(name, kNames);
}

/// Baked device literals (`cuda:0` of the machine that traced) mean the CPU here.
void move_devices_to_cpu(Stack& stack) {
  for (c10::IValue& value : stack)
    if (value.isDevice()) value = c10::IValue(at::Device(at::kCPU));
}

/// The rank-0 constant that torch reads as a Python number again: the second operand of an
/// arithmetic operation (torch/csrc/jit/passes/canonicalize_ops.cpp). Undefined where there is
/// none.
at::Tensor traced_number(const Node* node, const Stack& inputs) {
  constexpr std::array<std::string_view, 4> kArithmetic = {"aten::add", "aten::sub", "aten::mul",
                                                           "aten::div"};
  if (inputs.size() < 2 || !inputs[1].isTensor() || !inputs[1].toTensor().defined() ||
      inputs[1].toTensor().dim() != 0 || node->input(1)->node()->kind() != c10::prim::Constant ||
      !is_one_of(node->kind().toQualString(), kArithmetic))
    return {};
  return inputs[1].toTensor();
}

/// While it lives, the tensor promotes like a number: integers to the default type, not to f64.
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

/// Quantised tensors have no kernel for it: their integers become zero.
void clear(const at::Tensor& tensor) {
  if (!tensor.is_quantized()) return void(tensor.zero_());
  if (tensor.nbytes() > 0) std::memset(tensor.mutable_data_ptr(), 0, tensor.nbytes());
}

/// quantized::relu6 may write to its operand, which its schema does not say. It gives a tensor of
/// its own here; whether the operand is used elsewhere, the pass expand-quantised sees.
void give_own_result(const std::string& name, Stack& stack) {
  if (name == "quantized::relu6" && stack.size() == 2 && stack[1].isBool()) stack[1] = false;
}

}  // namespace

void Interpreter::execute(const Operator& op, const Run& run, Stack& stack) {
  const std::string& name = op.schema().name();
  if (is_move(name)) return stack.resize(1);
  if (options_.native_halves) return run(stack);
  run_with_halves(op, run, stack);
}

const Operator& Interpreter::operator_of(const Node* node) const {
  const std::string kind = node->kind().toQualString();
  if (kind.find("mkldnn") != std::string::npos || kind.find("MKLDNN") != std::string::npos)
    throw Error("model-format", "the model was prepared by torch.jit.optimize_for_inference",
                cat("it holds operators of one CPU's library (", kind, ")"),
                "save it before that step");
  const Operator* op = node->maybeOperator();
  if (op == nullptr)
    throw Error("unsupported-op", cat("the operator ", quoted(kind), " cannot be executed"));
  return *op;
}

void Interpreter::execute_or_explain(const Operation& operation, Stack& stack) {
  const std::string& name = operation.op->schema().name();
  for (const c10::IValue& value : stack)
    if (value.isTensor() && value.toTensor().defined() && value.toTensor().numel() > kMaxElements)
      throw Error("trace-limit",
                  cat(name, " is given a tensor of ", value.toTensor().numel(), " elements"),
                  cat("at most ", kMaxElements, " are computed with"));
  give_own_result(name, stack);
  try {
    execute(*operation.op, operation.run, stack);
  } catch (const std::exception&) {
    if (is_unknown(name))
      throw Error("unsupported-op",
                  cat("the operator ", quoted(name), " is not known to this LibTorch"),
                  "it belongs to a library that is not part of PyTorch",
                  "export the part of the model before it, or replace the operator");
    throw Error("forward-failed", cat(name, " failed: ", first_line(current_torch_message())), {},
                "do the sample inputs fit the model? `t2nnef inspect` shows its arguments");
  }
  // Zeros are one of their legal values, and the only one that gives the same file twice.
  if (has_trait(ir::op_word(name), ir::OpTrait::uninitialised)) clear(stack.at(0).toTensor());
}

const Interpreter::Operation& Interpreter::operation_of(Node* node) {
  const auto [cached, is_new] = operations_.try_emplace(node);
  if (is_new) {
    const Operator& op = operator_of(node);
    const std::string& name = op.schema().name();
    if (!model_file::is_allowed(name) && !is_unknown(name))
      throw Error("denied-operator", cat("the model calls ", quoted(name)),
                  std::string(model_file::denial_reason(name)),
                  "remove the call from the model and save it again");
    cached->second = {&op, make_run(node->getOperation()), may_move_elements(name),
                      has_tensors(op.schema()), is_blind(name)};
  }
  return cached->second;
}

/// torch.tensor([[1, 2], [3, 4]]): no operation to record, its result is a constant of the model.
bool Interpreter::is_literal(const Stack& inputs) {
  const bool is_nested = std::any_of(inputs.begin(), inputs.end(), [](const c10::IValue& value) {
    return value.isList() && !value.toListRef().empty() && value.toListRef()[0].isList() &&
           flatten_tensors(value).empty();
  });
  if (!is_nested) return false;
  const Mark mark = marks_.reach_all(inputs);
  if (is_data(mark))
    throw Error("data-dependent-value", "a tensor is made of numbers read from a tensor's values",
                cat("they come from ", mark->origin, "; a file would hold those of this one run"),
                "use torch.stack, or compute it with tensor operations");
  note_number(node_, mark, c10::IValue("in a nested list"));
  return true;
}

void Interpreter::run_operation(Node* node, Env& env) {
  const Operation operation = operation_of(node);
  Stack inputs = take(node, env);
  move_devices_to_cpu(inputs);
  Stack results;
  if (operation.may_move && moves_elements(inputs))
    results = run_move(operation, std::move(inputs));
  else if (operation.has_tensors || (!operation.is_blind && !flatten_all(inputs).empty()))
    results = run_tensors(node, operation, inputs);
  else
    results = run_scalars(operation, std::move(inputs));
  set_outputs(node, env, std::move(results));
}

/// The operation as the graph will hold it.
OpCall Interpreter::prepare(Node* node, const Operation& known, const Stack& inputs) {
  const Operator& op = *known.op;
  if (!options_.keep_sizes) return recorder_->prepare(op, known.run, inputs, marks_, place());
  const bool is_computable = has_tensor_form(op.schema(), inputs);
  note_numbers(node, inputs, is_computable);
  if (is_computable && options_.computed_numbers.contains(node))
    return prepare_computed(op.schema(), inputs);
  return recorder_->prepare(op, known.run, inputs, marks_, place());
}

/// What an operation does that the graph cannot say.
void Interpreter::refuse_unsaid(const std::string& name, const Stack& inputs) {
  if (compares_tensors(name, inputs))
    for (const at::Tensor& tensor : flatten_tensors(inputs[0]))
      if (is_data(recorder_->mark(tensor)))
        throw Error("data-dependent-value",
                    cat(name, " goes by the values of the tensors in a list"),
                    "a file would hold the order of this one run",
                    "stack the tensors, and sort or compare them as one");
}

/// An operation that gives back an operand stands in no graph: that it does so must not follow from
/// numbers that are others for other inputs.
void Interpreter::check_unrecorded(const c10::FunctionSchema& schema, const Stack& inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Mark mark = inputs[i].isTensor() ? nullptr : marks_.reach(inputs[i]);
    if (!mark || holds_tensors(inputs[i])) continue;
    if (is_data(mark))
      throw Error(
          "data-dependent-value",
          cat("the argument ",
              quoted(i < schema.arguments().size() ? schema.arguments()[i].name() : "?"), " of ",
              schema.name(), " is read from a tensor's values"),
          cat("it comes from ", mark->origin, "; a file would hold the number of this one run"),
          "make it a constant of the model");
    note_number(node_, is_size(mark) ? opaque_mark(mark->size) : mark, inputs[i]);
  }
}

/// as_strided counts from the beginning of the memory: said of the tensor that owns it, which has
/// the same result.
void Interpreter::stride_owner(const std::string& name, Stack& inputs) {
  if (!name.starts_with("aten::as_strided") || !inputs[0].isTensor()) return;
  const at::Tensor self = inputs[0].toTensor();
  const size_t offset = inputs.size() - 1;
  if (self.is_contiguous() && self.storage_offset() == 0) return;
  const auto owner = recorder_->owner(self);
  if (!owner || name != "aten::as_strided")
    throw Error("unsupported-argument", cat(name, " of a view cannot be exported"),
                "it counts in the memory of another tensor",
                "call contiguous() first, or use unfold(), slices and transpose()");
  if (inputs[offset].isNone()) inputs[offset] = self.storage_offset();
  inputs[0] = *owner;
}

Stack Interpreter::run_tensors(Node* node, const Operation& operation, Stack given) {
  const Operator& op = *operation.op;
  const std::string& name = op.schema().name();
  if (recorder_ != nullptr) {
    refuse_unsaid(name, given);
    stride_owner(name, given);
  }
  Stack inputs;
  for (const c10::IValue& value : given) inputs.push_back(marks_.without(value));
  const AsNumber number(traced_number(node, inputs));
  Stack stack = inputs;
  if (op.schema().is_vararg() && op.hasOperation())
    stack.emplace_back(static_cast<int64_t>(inputs.size()));

  // Operands are read before a write changes them; of other operations only new results matter.
  std::optional<OpCall> write;
  const bool writes = writes_tensors(op.schema(), inputs);
  const auto here = [this] { return place(); };
  state_.touches_containers(op.schema(), inputs, here);
  if (recorder_ != nullptr)
    if (auto numbers = stacked_numbers(name, given)) return {*std::move(numbers)};
  if (writes) state_.writes_tensors(op.schema(), inputs, here);
  if (recorder_ != nullptr && writes) write = prepare(node, operation, given);
  reads_.reset();
  execute_or_explain(operation, stack);

  const std::vector<at::Tensor> outputs = flatten_all(stack);
  if (ranges_ != nullptr) ranges_->see(name, inputs, outputs);
  if (recorder_ == nullptr) return stack;
  if (write) {
    recorder_->record_write(std::move(*write), outputs);
    settle_all(recorder_->take_relied());
    for (const ir::Dim& size : recorder_->take_overlaps())
      note_decision(node_, opaque_mark(size), 0, Decision::Kind::overlap);
  } else if (!knows_all(*recorder_, outputs) && !is_literal(given) && !reads_dictionary(inputs)) {
    recorder_->record(prepare(node, operation, given), outputs);
  } else if (!outputs.empty() && !reads_dictionary(inputs)) {
    check_unrecorded(op.schema(), given);
  }
  if (updates_statistics(name, inputs))
    for (const size_t statistic : {size_t{3}, size_t{4}})
      recorder_->lose(inputs[statistic].toTensor(), place());
  if (decides_by_data(name, inputs) || recorder_->has_open_shape(inputs))
    recorder_->open_shapes(outputs, without_out(op.schema(), inputs),
                           name.find("squeeze") != std::string::npos);
  if (has_trait(name, ir::OpTrait::copies_by_layout))
    recorder_->relies_on_layout(inputs[0].toTensor(), outputs.at(0));
  for (const c10::IValue& result : stack) note_made(result);
  for (c10::IValue& result : stack) result = followed(name, given, result);
  return stack;
}

}  // namespace t2n::trace
