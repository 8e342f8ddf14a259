// Real numbers over sizes as tensors of rank 0: where an operation takes a number that no attribute
// can hold, its form for tensors is recorded in its place.
#include <ATen/Functions.h>

#include <algorithm>

#include "src/diag/error.h"
#include "src/trace/computed_numbers.h"

namespace t2n::trace {
namespace {

using torch::jit::Operator;
using torch::jit::Stack;

bool takes_tensor(const c10::Argument& argument) {
  return argument.type()->annotation_str().find("Tensor") != std::string::npos;
}

/// Its formula, if a graph has to compute the number.
FormulaRef formula_of(const c10::IValue& value) {
  const Mark mark = mark_of(value);
  return is_opaque(mark) && !depends_on_iteration(mark) ? mark->formula : nullptr;
}

/// The overload with the same arguments that takes tensors where this one takes numbers; nullptr
/// if there is none. `numbers`: which arguments these are.
const Operator* tensor_overload(const c10::FunctionSchema& schema, const Stack& inputs,
                                std::vector<size_t>& numbers) {
  const auto& own = schema.arguments();
  for (const auto& op :
       torch::jit::getAllOperatorsFor(c10::Symbol::fromQualString(schema.name()))) {
    const auto& other = op->schema().arguments();
    if (own.size() != other.size() || op->schema().is_mutable() != schema.is_mutable()) continue;
    numbers.clear();
    bool fits = true;
    for (size_t i = 0; fits && i < own.size(); ++i) {
      fits = own[i].name() == other[i].name();
      if (takes_tensor(own[i]) == takes_tensor(other[i])) {
        fits = fits && (takes_tensor(own[i]) || !formula_of(inputs[i]));
        continue;
      }
      fits = fits && takes_tensor(other[i]);
      if (!inputs[i].isNone()) numbers.push_back(i);
    }
    if (fits && !numbers.empty()) return op.get();
  }
  return nullptr;
}

/// What a number is cast to before it meets the tensors: it must not make their type wider.
at::ScalarType number_type(const Stack& inputs) {
  for (const c10::IValue& input : inputs)
    if (input.isTensor() && input.toTensor().defined() &&
        at::isFloatingType(input.toTensor().scalar_type()))
      return input.toTensor().scalar_type();
  return at::kFloat;
}

}  // namespace

/// Runs and records one operation that the program itself does not have.
at::Tensor ComputedNumbers::recorded(const char* name, const char* overload, const Stack& inputs) {
  const auto op = torch::jit::findOperatorFor(c10::OperatorName(name, overload));
  T2N_ASSERT(op, "no operator ", name, ".", overload);
  const Run run = make_run(op->getOperation());
  Stack stack;
  for (const c10::IValue& input : inputs) stack.push_back(unmarked(input));
  run(stack);
  const at::Tensor result = stack.at(0).toTensor();
  if (!recorder_.tracks().knows(result))
    recorder_.record(recorder_.prepare(*op, run, inputs, marks_, position_.place()), {result});
  return result;
}

/// f64, as torch computes with numbers.
at::Tensor ComputedNumbers::computed(const Formula& formula) {
  const auto cast = [&](const at::Tensor& tensor) {
    return recorded("aten::to", "dtype",
                    {tensor, static_cast<int64_t>(at::kDouble), false, false, c10::IValue()});
  };
  if (formula.op == "number") return at::scalar_tensor(formula.number, at::kDouble);
  if (formula.op == "size")
    return cast(recorded("prim::NumToTensor", "Scalar",
                         {marked(static_cast<int64_t>(formula.number), size_mark(formula.size))}));
  Stack operands;
  for (const FormulaRef& operand : formula.operands) operands.emplace_back(computed(*operand));
  const std::string name = "aten::" + formula.op;
  if (formula.op == "add" || formula.op == "sub") operands.emplace_back(1);
  const char* overload = formula.op == "pow"                            ? "Tensor_Tensor"
                         : operands.size() == 1                         ? ""
                         : formula.op.find("imum") != std::string::npos ? ""
                                                                        : "Tensor";
  return recorded(name.c_str(), overload, operands);
}

std::optional<at::Tensor> ComputedNumbers::stacked(const std::string& name, const Stack& inputs) {
  if ((name != "aten::tensor" && name != "aten::as_tensor") || !inputs[0].isList() ||
      marks_.of(inputs[0]))
    return std::nullopt;
  const auto list = inputs[0].toListRef();
  bool any = false, has_reals = false;
  for (const c10::IValue& each : list) {
    const c10::IValue number = unmarked(each);
    if (!number.isInt() && !number.isDouble()) return std::nullopt;
    const Mark mark = mark_of(each);
    if (mark && !is_size(mark) && !formula_of(each)) return std::nullopt;
    any = any || mark;
    has_reals = has_reals || number.isDouble();
  }
  if (!any) return std::nullopt;
  c10::List<at::Tensor> parts;
  for (const c10::IValue& each : list) {
    const FormulaRef formula = formula_of(each);
    parts.push_back(formula ? computed(*formula) : recorded("prim::NumToTensor", "Scalar", {each}));
  }
  const auto type = inputs[1].isNone() ? static_cast<int64_t>(has_reals ? at::kFloat : at::kLong)
                                       : inputs[1].toInt();
  c10::List<at::Tensor> alike;
  for (const at::Tensor& part : parts)
    alike.push_back(recorded("aten::to", "dtype", {part, type, false, false, c10::IValue()}));
  return recorded("aten::stack", "", {alike, 0});
}

bool ComputedNumbers::has_tensor_form(const c10::FunctionSchema& schema, const Stack& inputs) {
  const bool any = std::any_of(inputs.begin(), inputs.end(), [](const c10::IValue& input) {
    return formula_of(input) != nullptr;
  });
  std::vector<size_t> numbers;
  return any && tensor_overload(schema, inputs, numbers) != nullptr;
}

OpCall ComputedNumbers::prepare(const c10::FunctionSchema& schema, const Stack& inputs) {
  std::vector<size_t> numbers;
  const Operator* op = tensor_overload(schema, inputs, numbers);
  const auto type = static_cast<int64_t>(number_type(inputs));
  Stack tensors = inputs;
  for (const size_t i : numbers) {
    const FormulaRef formula = formula_of(inputs[i]);
    const at::Tensor number =
        formula ? computed(*formula) : at::scalar_tensor(inputs[i].toScalar(), at::kDouble);
    tensors[i] = recorded("aten::to", "dtype", {number, type, false, false, c10::IValue()});
  }
  return recorder_.prepare(*op, make_run(op->getOperation()), tensors, marks_, position_.place());
}

}  // namespace t2n::trace
