// SPDX-License-Identifier: Apache-2.0
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

int64_t default_type(const c10::IValue& number) {
  return static_cast<int64_t>(number.isBool()  ? at::kBool
                              : number.isInt() ? at::kLong
                                               : at::kFloat);
}

/// The position of the number that an operation fills a tensor with.
size_t number_index(const std::string& name) {
  if (name == "aten::new_full") return 2;
  return name == "aten::full" || name == "aten::full_like" ? 1 : 0;
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
  if (!recorder_->aliases().knows(result))
    recorder_->record(recorder_->prepare(*op, run, inputs, marks_, position_.location()), {result});
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
  recorder_->record(recorder_->prepare(*op, run, inputs, marks_, position_.location()), {result});
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
    if (recorder_->aliases().version(formula.tensor) != formula.version)
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
  if (formula.computed.defined() && recorder_->is_available(formula.computed))
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
  return recorder_->prepare(*op, make_run(op->getOperation()), tensors, marks_,
                            position_.location());
}

/// torch.tensor([n, 2 * n]): the numbers as tensors, stacked. Nothing if a graph cannot compute one
/// of them, or if none depends on sizes or values.
std::optional<at::Tensor> ComputedNumbers::stacked(const Stack& inputs) {
  if (!inputs[0].isList() || marks_.of(inputs[0])) return std::nullopt;
  const auto list = inputs[0].toListRef();
  bool any = false, has_floats = false, are_bools = true;
  for (const c10::IValue& each : list) {
    const c10::IValue number = unmarked(each);
    if (!is_number(number)) return std::nullopt;
    const Mark mark = mark_of(each);
    if (mark && !is_size(mark) && !formula_of(each)) return std::nullopt;
    any = any || mark;
    has_floats = has_floats || number.isDouble();
    are_bools = are_bools && number.isBool();
  }
  if (!any) return std::nullopt;
  const at::ScalarType default_dtype = are_bools ? at::kBool : has_floats ? at::kFloat : at::kLong;
  const int64_t type = inputs[1].isNone() ? static_cast<int64_t>(default_dtype) : inputs[1].toInt();
  c10::List<at::Tensor> elements;
  for (const c10::IValue& each : list) {
    const bool is_computed = graph_formula(each) || each.isBool();
    const at::Tensor part =
        is_computed ? computed(*formula_of(each)) : recorded("prim::NumToTensor", "Scalar", {each});
    elements.push_back(recorded("aten::to", "dtype", {part, type, false, false, c10::IValue()}));
  }
  return recorded("aten::stack", "", {elements, 0});
}

/// A tensor filled with one number. `inputs`: the number, after a size or tensor if the operation
/// takes one; then a dtype.
at::Tensor ComputedNumbers::filled(const std::string& name, const Stack& inputs) {
  const size_t position = number_index(name);
  const c10::IValue number = unmarked(inputs[position]);
  const bool has_type = inputs.size() > position + 1 && !inputs[position + 1].isNone();
  const bool is_like = position > 0 && name != "aten::full";
  const int64_t default_dtype = is_like ? static_cast<int64_t>(inputs[0].toTensor().scalar_type())
                                : name == "aten::scalar_tensor" ? static_cast<int64_t>(at::kFloat)
                                : name == "prim::NumToTensor" && number.isDouble()
                                    ? static_cast<int64_t>(at::kDouble)
                                    : default_type(number);
  const int64_t type = has_type ? inputs[position + 1].toInt() : default_dtype;
  at::Tensor out =
      cast(computed(*graph_formula(inputs[position])), static_cast<at::ScalarType>(type));
  if (name == "aten::full_like")
    out = recorded("aten::expand_as", "", {out, inputs[0]});
  else if (position > 0)
    out = recorded("aten::expand", "", {out, inputs[name == "aten::full" ? 0 : 1], false});
  return recorded("aten::clone", "", {out, static_cast<int64_t>(at::MemoryFormat::Contiguous)});
}

bool ComputedNumbers::fills(const std::string& name, const Stack& inputs) {
  constexpr std::array<std::string_view, 6> kFilled = {"aten::tensor",      "aten::scalar_tensor",
                                                       "prim::NumToTensor", "aten::full",
                                                       "aten::full_like",   "aten::new_full"};
  const size_t position = number_index(name);
  return is_one_of(name, kFilled) && inputs.size() > position && graph_formula(inputs[position]);
}

c10::IValue ComputedNumbers::with_tensors(const c10::IValue& result) {
  if (is_number(result)) {
    const Mark mark = mark_of(result);
    const FormulaRef formula = truth_of(mark) ? truth_of(mark) : formula_of(result);
    if (!mark || !formula) return result;
    const at::Tensor number = computed(*formula);
    return formula->type == FormulaType::floating ? cast(number, at::kFloat) : number;
  }
  if (marks_.of(result) || !marks_.reach(result)) return result;
  if (result.isTuple()) {
    std::vector<c10::IValue> elements;
    for (const c10::IValue& each : result.toTupleRef().elements())
      elements.push_back(with_tensors(each));
    return tuple_like(result, std::move(elements));
  }
  if (result.isList()) {
    c10::impl::GenericList out(c10::AnyType::get());
    for (const c10::IValue& each : result.toListRef()) out.push_back(with_tensors(each));
    return out;
  }
  if (!result.isGenericDict()) return result;
  const auto dictionary = result.toGenericDict();
  c10::impl::GenericDict out(dictionary.keyType(), c10::AnyType::get());
  for (const auto& entry : dictionary) out.insert(entry.key(), with_tensors(entry.value()));
  return out;
}

/// x[n]. The result is a copy, where torch gives a view.
std::optional<at::Tensor> ComputedNumbers::selected(const Stack& inputs) {
  if (!is_read(inputs[2]) || marks_.of(inputs[1])) return std::nullopt;
  const at::Tensor self = inputs[0].toTensor();
  const int64_t dim = inputs[1].toInt();
  c10::List<std::optional<at::Tensor>> indices;
  for (int64_t i = 0; i < (dim < 0 ? dim + self.dim() : dim); ++i) indices.push_back(std::nullopt);
  indices.push_back(computed(*data_formula(mark_of(inputs[2]))));
  const size_t roots_before = recorder_->aliases().roots();
  const at::Tensor out = recorded("aten::index", "Tensor", {self, indices});
  recorder_->aliases().forbid_writes({{out, self, self}}, {self, self}, roots_before);
  return out;
}

std::optional<at::Tensor> ComputedNumbers::record_from_numbers(const std::string& name,
                                                               const Stack& inputs,
                                                               bool computes_sizes) {
  if (name == "aten::select" && inputs.size() == 3 && is_number(inputs[2])) return selected(inputs);
  if ((name == "aten::tensor" || name == "aten::as_tensor") && inputs[0].isList())
    return stacked(inputs);
  if (!fills(name, inputs) || !(computes_sizes || is_read(inputs[number_index(name)])))
    return std::nullopt;
  return filled(name, inputs);
}

}  // namespace t2n::trace
