// Numbers over sizes and values, computed as tensors of rank 0. An operation whose number cannot be
// an attribute is recorded as its overload for tensors.
#include "src/frontend/record/computed_numbers.h"

#include <ATen/Functions.h>
#include <ATen/native/TypeProperties.h>

#include <algorithm>
#include <array>

#include "src/diag/error.h"
#include "src/diag/one_of.h"

namespace t2n::trace {
namespace {

using torch::jit::Operator;
using torch::jit::Stack;

bool takes_tensor(const c10::Argument& argument) {
  return argument.type()->annotation_str().find("Tensor") != std::string::npos;
}

/// The overload with the same arguments that takes tensors where this one takes numbers; nullptr
/// if there is none. `numbers`: the indices of these arguments.
const Operator* tensor_overload(const c10::FunctionSchema& schema, const Stack& inputs,
                                std::vector<size_t>& numbers) {
  const auto& arguments = schema.arguments();
  for (const auto& op :
       torch::jit::getAllOperatorsFor(c10::Symbol::fromQualString(schema.name()))) {
    const auto& candidate = op->schema().arguments();
    if (arguments.size() != candidate.size() || op->schema().is_mutable() != schema.is_mutable())
      continue;
    numbers.clear();
    bool fits = true;
    for (size_t i = 0; fits && i < arguments.size(); ++i) {
      fits = arguments[i].name() == candidate[i].name();
      if (takes_tensor(arguments[i]) == takes_tensor(candidate[i])) {
        fits = fits && (takes_tensor(arguments[i]) || !graph_formula(inputs[i]));
        continue;
      }
      fits = fits && takes_tensor(candidate[i]);
      if (!inputs[i].isNone()) numbers.push_back(i);
    }
    if (fits && !numbers.empty()) return op.get();
  }
  return nullptr;
}

/// The type that numbers are cast to before they meet the tensors. It must not promote the tensors.
at::ScalarType number_type(const Stack& inputs, const std::vector<size_t>& numbers) {
  at::native::ResultTypeState state = {};
  for (const c10::IValue& input : inputs)
    if (input.isTensor() && input.toTensor().defined())
      state = at::native::update_result_type_state(input.toTensor(), state);
  for (const size_t i : numbers)
    state = at::native::update_result_type_state(unmarked(inputs[i]).toScalar(), state);
  return at::native::result_type(state);
}

/// The float type of the result where an operation turns integers into floats, as true divisions
/// do; otherwise `type`. Numbers that would wrap around in narrow integers fit into it.
at::ScalarType result_float_type(const Operator& op, const Stack& inputs,
                                 const std::vector<size_t>& numbers, at::ScalarType type) {
  const bool is_narrow = at::isIntegralType(type, false) && type != at::kLong;
  if (!is_narrow || op.schema().is_mutable()) return type;
  Stack stack;
  for (const c10::IValue& input : inputs) stack.push_back(unmarked(input));
  for (const size_t i : numbers) stack[i] = at::ones({}, type);
  make_run(op.getOperation())(stack);
  if (!stack.at(0).isTensor()) return type;
  const at::ScalarType result = stack[0].toTensor().scalar_type();
  return at::isFloatingType(result) ? result : type;
}

at::ScalarType type_of(FormulaType type) {
  return type == FormulaType::floating  ? at::kDouble
         : type == FormulaType::integer ? at::kLong
                                        : at::kBool;
}

/// The type in which the operands of an operation are computed.
FormulaType operand_type(const Formula& formula) {
  constexpr std::array<std::string_view, 3> kLogic = {"logical_and", "logical_or", "logical_not"};
  constexpr std::array<std::string_view, 2> kRounding = {"floor", "ceil"};
  if (is_one_of(formula.op, kRounding)) return FormulaType::floating;
  if (formula.op == "where" || formula.type != FormulaType::boolean ||
      is_one_of(formula.op, kLogic))
    return formula.type;
  const bool has_float =
      std::any_of(formula.operands.begin(), formula.operands.end(),
                  [](const FormulaRef& operand) { return operand->type == FormulaType::floating; });
  return has_float ? FormulaType::floating : FormulaType::integer;
}

/// True if an operand has 16-bit floats. Their kernels take numbers as f32; as tensors the numbers
/// would be rounded first.
bool has_short_floats(const Stack& inputs) {
  return std::any_of(inputs.begin(), inputs.end(), [](const c10::IValue& input) {
    return input.isTensor() && input.toTensor().defined() &&
           at::isReducedFloatingType(input.toTensor().scalar_type());
  });
}

/// The overload for tensors of an operation that formulas use.
const char* overload_of(const std::string& op, size_t operands) {
  constexpr std::array<std::string_view, 3> kPlain = {"floor_divide", "logical_and", "logical_or"};
  if (op == "pow") return "Tensor_Tensor";
  if (op == "where") return "self";
  const bool is_plain = operands == 1 || is_one_of(op, kPlain) || op.find("imum") != op.npos;
  return is_plain ? "" : "Tensor";
}

}  // namespace

FormulaRef graph_formula(const c10::IValue& value) { return formula_of(mark_of(value)); }

bool has_iteration_number(const Stack& inputs) {
  return !has_short_floats(inputs) &&
         std::any_of(inputs.begin(), inputs.end(), [](const c10::IValue& input) {
           return depends_on_iteration(mark_of(input)) && graph_formula(input);
         });
}

bool is_read(const c10::IValue& number) { return data_formula(mark_of(number)) != nullptr; }

FormulaRef formula_of(const c10::IValue& number) {
  const Mark mark = mark_of(number);
  const c10::IValue plain = unmarked(number);
  if (!mark) return number_formula(plain);
  if (const auto size = exact_size(mark))
    return size_formula(*size, plain.toInt(), FormulaType::integer);
  return formula_of(mark);
}

/// Runs and records one operation that the program itself does not contain.
at::Tensor ComputedNumbers::recorded(const char* name, const char* overload, const Stack& inputs) {
  const auto op = torch::jit::findOperatorFor(c10::OperatorName(name, overload));
  T2N_ASSERT(op, "no operator ", name, ".", overload);
  const Run run = make_run(op->getOperation());
  Stack stack;
  for (const c10::IValue& input : inputs) stack.push_back(marks_.without(input));
  run(stack);
  const at::Tensor result = stack.at(0).toTensor();
  if (!recorder_.aliases().knows(result))
    recorder_.record(recorder_.prepare(*op, run, inputs, marks_, position_.location()), {result});
  return result;
}

at::Tensor ComputedNumbers::recorded_number(const char* name, const Stack& inputs) {
  const auto op = torch::jit::findOperatorFor(c10::OperatorName(name, ""));
  T2N_ASSERT(op, "no operator ", name);
  const Run run = make_run(op->getOperation());
  Stack stack = inputs;
  run(stack);
  const at::ScalarType type = stack.at(0).isDouble() ? at::kDouble : at::kLong;
  const at::Tensor result = at::scalar_tensor(stack.at(0).toScalar(), type);
  recorder_.record(recorder_.prepare(*op, run, inputs, marks_, position_.location()), {result});
  return result;
}

at::Tensor ComputedNumbers::cast(const at::Tensor& tensor, at::ScalarType type) {
  if (type == at::kBool && tensor.scalar_type() != at::kBool)
    return recorded("aten::ne", "Scalar", {tensor, 0});
  return recorded("aten::to", "dtype",
                  {tensor, static_cast<int64_t>(type), false, false, c10::IValue()});
}

/// The value of a formula, in whatever dtype its operation gives.
at::Tensor ComputedNumbers::value_of(const Formula& formula) {
  if (formula.op == "size")
    return recorded("prim::NumToTensor", "Scalar",
                    {marked(formula.number, size_mark(formula.size))});
  if (formula.op == "tensor") {
    if (recorder_.aliases().version(formula.tensor) != formula.version)
      throw Error("data-dependent-value",
                  "a number was read from a tensor that was written to before the number is used",
                  "the tensor no longer holds it", "read it from a clone() of the tensor");
    if (formula.tensor.dim() == 0) return formula.tensor;
    return recorded("aten::reshape", "", {formula.tensor, std::vector<int64_t>()});
  }
  if (formula.operands.size() == 1 && formula.op == "to") return computed(*formula.operands[0]);
  Stack operands;
  for (const FormulaRef& operand : formula.operands) {
    const bool is_condition = formula.op == "where" && operands.empty();
    const at::ScalarType type = is_condition ? at::kBool : type_of(operand_type(formula));
    operands.emplace_back(operand->op == "number"
                              ? at::scalar_tensor(operand->number.toScalar(), type)
                              : cast(computed(*operand), type));
  }
  const std::string name = "aten::" + formula.op;
  const char* const overload = overload_of(formula.op, operands.size());
  if (formula.op == "add" || formula.op == "sub") operands.emplace_back(1);
  return recorded(name.c_str(), overload, operands);
}

at::Tensor ComputedNumbers::computed(const Formula& formula) {
  if (formula.computed.defined() && recorder_.is_available(formula.computed))
    return formula.computed;
  const at::ScalarType type = type_of(formula.type);
  if (formula.op == "number") return at::scalar_tensor(formula.number.toScalar(), type);
  at::Tensor out = cast(value_of(formula), type);
  // A number that was read, or only cast, may be the tensor itself, which the program may write.
  if (formula.op != "tensor" && formula.op != "to") formula.computed = out;
  return out;
}

bool ComputedNumbers::has_tensor_form(const c10::FunctionSchema& schema, const Stack& inputs) {
  const bool any = std::any_of(inputs.begin(), inputs.end(), [](const c10::IValue& input) {
    return graph_formula(input) != nullptr;
  });
  std::vector<size_t> numbers;
  return any && tensor_overload(schema, inputs, numbers) != nullptr;
}

bool ComputedNumbers::takes_read_number(const c10::FunctionSchema& schema, const Stack& inputs) {
  return !has_short_floats(inputs) && std::any_of(inputs.begin(), inputs.end(), is_read) &&
         has_tensor_form(schema, inputs);
}

OpCall ComputedNumbers::prepare(const c10::FunctionSchema& schema, const Stack& inputs) {
  std::vector<size_t> numbers;
  const Operator* op = tensor_overload(schema, inputs, numbers);
  const at::ScalarType type = result_float_type(*op, inputs, numbers, number_type(inputs, numbers));
  Stack tensors = inputs;
  for (const size_t i : numbers) {
    const FormulaRef formula = graph_formula(inputs[i]);
    const at::Tensor number = formula
                                  ? computed(*formula)
                                  : at::scalar_tensor(unmarked(inputs[i]).toScalar(), at::kDouble);
    tensors[i] = cast(number, type);
  }
  return recorder_.prepare(*op, make_run(op->getOperation()), tensors, marks_,
                           position_.location());
}

}  // namespace t2n::trace
