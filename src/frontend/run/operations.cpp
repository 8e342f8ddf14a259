// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/run/operations.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "ir/op_traits.h"
#include "src/diag/error.h"
#include "src/diag/one_of.h"
#include "src/diag/printable.h"
#include "src/frontend/load/allocation.h"
#include "src/frontend/load/operator_scan.h"
#include "src/frontend/load/operators.h"
#include "src/frontend/load/torch_error.h"
#include "src/frontend/run/container_operations.h"
#include "src/frontend/run/half.h"
#include "src/model_file/allowed.h"

namespace t2n::trace {
namespace {

using torch::jit::Node;
using torch::jit::Operator;
using torch::jit::Stack;

/// Recorded calls of .cuda() and .pin_memory() require hardware that may be missing here.
bool is_move(const std::string& name) { return name == "aten::cuda" || name == "aten::pin_memory"; }

bool mentions_tensors(const c10::Argument& argument) {
  return argument.type()->annotation_str().find("Tensor") != std::string::npos;
}

bool has_tensors(const c10::FunctionSchema& schema) {
  return std::any_of(schema.arguments().begin(), schema.arguments().end(), mentions_tensors) ||
         std::any_of(schema.returns().begin(), schema.returns().end(), mentions_tensors);
}

/// True for operations that do not read the elements of a container.
bool ignores_elements(const std::string& name) {
  constexpr std::array<std::string_view, 4> kNames = {"aten::len", "aten::__contains__",
                                                      "aten::__is__", "aten::__isnot__"};
  return is_one_of(name, kNames);
}

const Operator& operator_of(const Node* node) {
  const std::string kind = node->kind().toQualString();
  if (kind.find("mkldnn") != std::string::npos || kind.find("MKLDNN") != std::string::npos)
    refuse_operator_of_cpu(kind);
  const Operator* op = node->maybeOperator();
  if (op == nullptr)
    throw Error("unsupported-op", cat("the operator ", quoted(kind), " cannot be executed"));
  return *op;
}

void run(const Operation& operation, bool native_halves, Stack& stack) {
  if (is_move(operation.op->schema().name())) return stack.resize(1);
  if (native_halves) return operation.run(stack);
  run_with_halves(*operation.op, operation.run, stack);
}

/// Zeroes a tensor. There is no kernel for quantised ones: their integers become zero.
void clear(const at::Tensor& tensor) {
  if (!tensor.is_quantized()) return void(tensor.zero_());
  if (tensor.nbytes() > 0) std::memset(tensor.mutable_data_ptr(), 0, tensor.nbytes());
}

/// quantized::relu6 may write to its operand, although its schema does not declare it. Here it
/// returns a new tensor; the pass expand-quantised checks whether the operand is used elsewhere.
void force_out_of_place(const std::string& name, Stack& stack) {
  if (name == "quantized::relu6" && stack.size() == 2 && stack[1].isBool()) stack[1] = false;
}

/// Operators on quantised tensors have no kernel for plain ones. A model that was saved with
/// quantised inputs gets plain ones here.
void refuse_plain(const std::string& name, const Stack& operands,
                  const Operations::NameOfInput& name_of) {
  constexpr std::array<std::string_view, 5> kReaders = {
      "aten::int_repr", "aten::q_scale", "aten::q_zero_point", "aten::q_per_channel_scales",
      "aten::q_per_channel_zero_points"};
  if (!name.starts_with("quantized::") && !is_one_of(name, kReaders)) return;
  for (const at::Tensor& each :
       operands.empty() ? std::vector<at::Tensor>() : flatten_tensors(operands[0])) {
    if (!each.defined() || each.is_quantized()) continue;
    const std::string input = name_of ? name_of(each) : "";
    throw Error("unsupported-dtype",
                input.empty()
                    ? cat(name, " requires a quantised tensor, but its operand is a plain one")
                    : cat("the input ", quoted(input), " must be a quantised tensor, because ",
                          name, " reads it"),
                "the inputs of an exported model are plain tensors",
                "quantise inside the model: call torch.quantize_per_tensor in its forward");
  }
}

/// Called in the handler of an exception of LibTorch.
[[noreturn]] void refuse_failed(const std::string& name) {
  if (is_unknown(name))
    throw Error("unsupported-op",
                cat("the operator ", quoted(name), " is not known to this LibTorch"),
                "it belongs to a library that is not part of PyTorch",
                "define it with --fragment FILE.nnef, or export the part of the model before it");
  const std::string message = first_line(current_torch_message());
  if (message.find("Didn't find engine for operation") != std::string::npos)
    throw Error("unsupported-op",
                cat(name, " has no kernel in LibTorch's default engine of quantised layers"),
                "a model file does not record its engine, and other engines compute other numbers",
                "use the layer and the function after it as two operators, such as "
                "quantized::linear and aten::tanh");
  throw Error("forward-failed", cat(name, " failed: ", message), {},
              "do the sample inputs fit the model? `t2nnef inspect` shows its arguments");
}

}  // namespace

void Operations::execute(const Operation& operation, Stack& stack,
                         const NameOfInput& name_of) const {
  const std::string& name = operation.op->schema().name();
  for (const c10::IValue& value : stack)
    if (value.isTensor() && value.toTensor().defined() && value.toTensor().numel() > kMaxElements)
      throw Error("trace-limit",
                  cat("an operand of ", name, " has ", value.toTensor().numel(), " elements"),
                  cat("at most ", kMaxElements, " are supported"));
  force_out_of_place(name, stack);
  const Stack operands = stack;  // an operation pops its operands
  try {
    run(operation, native_halves_, stack);
  } catch (const c10::NotImplementedError&) {
    refuse_plain(name, operands, name_of);
    refuse_failed(name);
  } catch (const std::exception&) {
    refuse_failed(name);
  }
  // Uninitialised memory is zeroed, so that every export writes the same file.
  if (has_trait(ir::op_short_name(name), ir::OpTrait::uninitialised)) clear(stack.at(0).toTensor());
}

const Operation& Operations::find(Node* node) {
  const auto [cached, is_new] = known_.try_emplace(node);
  if (is_new) {
    const Operator& op = operator_of(node);
    const std::string& name = op.schema().name();
    if (!may_call(name))
      throw Error("denied-operator", cat("the model calls ", quoted(name)),
                  std::string(model_file::denial_reason(name)),
                  std::string(model_file::denial_help(name)));
    cached->second = {&op, make_run(node->getOperation()),
                      ContainerOperations::may_move_elements(name), has_tensors(op.schema()),
                      ignores_elements(name)};
  }
  return cached->second;
}

}  // namespace t2n::trace
