// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/run/surveyor.h"

#include <algorithm>
#include <utility>

#include "src/frontend/load/convert.h"
#include "src/frontend/load/operators.h"

namespace t2n::trace {
namespace {

/// What an operation that writes returns: the operands that it writes to.
Values written(const c10::FunctionSchema& schema, const Values& operands) {
  Values out;
  for (size_t i = 0; i < operands.size() && i < schema.arguments().size(); ++i)
    if (is_written(schema.arguments()[i])) out.push_back(operands[i]);
  out.resize(std::min(out.size(), schema.returns().size()));
  return out;
}

}  // namespace

void Surveyor::note(Diagnostic refusal) {
  if (refusal.where.empty()) refusal.where.push_back(position_.where());
  add_refusal(survey_.refusals, std::move(refusal));
}

void Surveyor::end() {
  throw Error("trace-limit", "the values of this run are unknown from here on");
}

void Surveyor::keep(const Values& operands) {
  for (const c10::IValue& operand : operands)
    for (const at::Tensor& tensor : flatten_tensors(operand)) {
      if (!tensor.defined() || !recorder_.aliases().knows(tensor)) continue;
      try {
        graph_.outputs.push_back(recorder_.value(tensor, position_.location()));
      } catch (const Error&) {
        // A tensor that must not be read: its refusal is the cause.
      }
    }
}

/// The first tensor among the operands stands for each result of an operator without a kernel.
Values Surveyor::guess(const c10::FunctionSchema& schema, const Values& operands) {
  Values out;
  for (const c10::IValue& operand : operands) {
    if (!operand.isTensor() || !operand.toTensor().defined()) continue;
    for (const c10::Argument& result : schema.returns()) {
      if (!result.type()->isSubtypeOf(*c10::TensorType::get())) end();
      out.emplace_back(operand.toTensor().clone());
    }
    add_inputs(out, true);
    return out;
  }
  end();
}

Values Surveyor::plain_results(const Operation& operation, const Values& operands) {
  torch::jit::Stack stack;
  for (const c10::IValue& operand : operands) stack.push_back(marks_.without(operand));
  for (c10::IValue& value : stack)
    if (value.isDevice()) value = c10::IValue(at::Device(at::kCPU));
  const Values inputs = stack;
  if (operation.op->schema().is_vararg() && operation.op->hasOperation())
    stack.emplace_back(static_cast<int64_t>(operands.size()));
  operations_.execute(operation, stack);
  for (c10::IValue& result : stack)  // a view would share memory that the graph does not know
    if (result.isTensor() && result.toTensor().defined()) result = result.toTensor().clone();
  add_inputs(stack, false);
  return stack;
}

void Surveyor::add_inputs(Values& results, bool are_guessed) {
  for (const c10::IValue& result : results)
    for (const at::Tensor& tensor : flatten_tensors(result)) {
      if (!tensor.defined() || recorder_.aliases().knows(tensor)) continue;
      recorder_.add_input(tensor, "refused");
      const std::string& name = graph_.values[graph_.inputs.back()].name;
      survey_.substitutes.insert(name);
      if (are_guessed) survey_.guessed.insert(name);
    }
}

Values Surveyor::results_of(torch::jit::Node* node, const Values& operands) {
  if (node->outputs().empty()) return {};
  if (node->maybeOperator() == nullptr) end();
  const Operation& operation = operations_.find(node);
  const c10::FunctionSchema& schema = operation.op->schema();
  if (is_unknown(schema.name())) return guess(schema, operands);
  if (schema.is_mutable()) return written(schema, operands);
  try {
    return plain_results(operation, operands);
  } catch (const Error&) {
    end();
  }
}

}  // namespace t2n::trace
