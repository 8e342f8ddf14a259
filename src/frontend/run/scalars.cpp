// SPDX-License-Identifier: Apache-2.0
// Operations on numbers, strings, and entire lists. A result is exact if there is a rule; else it
// depends on everything that the operands depend on.
#include "src/frontend/run/scalars.h"

#include <torch/csrc/jit/api/function_impl.h>

#include <algorithm>
#include <array>

#include "src/diag/error.h"
#include "src/frontend/load/operators.h"
#include "src/frontend/numbers/data_rules.h"
#include "src/frontend/numbers/ratios.h"
#include "src/frontend/record/computed_numbers.h"

namespace t2n::trace {
namespace {

using torch::jit::Stack;

Operand operand_of(const c10::IValue& value) { return {unmarked(value), mark_of(value)}; }

bool are_numbers(const Stack& values) {
  return std::all_of(values.begin(), values.end(), is_number);
}

/// min, max and sum of a list fold its elements with the binary operation.
std::optional<Mark> fold(const std::string& name, const c10::IValue& list) {
  const std::string each = name == "aten::sum" ? "aten::add" : name;
  if (each != "aten::add" && each != "prim::min" && each != "prim::max") return std::nullopt;
  std::vector<Operand> numbers;
  for (const c10::IValue& element : list.toListRef()) {
    numbers.push_back(operand_of(element));
    if (!numbers.back().number.isInt()) return std::nullopt;
  }
  if (numbers.empty()) return Mark();
  const auto all = folded(each, numbers);
  return all ? std::optional(all->mark) : std::nullopt;
}

bool tests_identity(const std::string& name) {
  return name == "aten::__is__" || name == "aten::__isnot__";
}

/// The operands without marks. `is` needs the program's own objects, not copies.
Stack plain_operands(const std::string& name, const Marks& marks, const Recorder* recorder,
                     const Stack& inputs) {
  Stack out;
  for (const c10::IValue& input : inputs)
    if (tests_identity(name) && recorder != nullptr && input.isTensor())
      out.push_back(recorder->aliases().returned(input.toTensor()));
    else
      out.push_back(tests_identity(name) || (name == "aten::dict" && input.isGenericDict())
                        ? unmarked(input)
                        : marks.without(input));
  return out;
}

/// Torch compares objects by running their code, which is not traced. This is allowed if the code
/// changes nothing, and reads neither tensors nor marked numbers.
void refuse_comparison(const std::string& name, const Marks& marks, const Stack& inputs) {
  if (inputs.empty() || !inputs[0].isList()) return;
  const auto type = inputs[0].toList().elementType()->cast<c10::ClassType>();
  if (!type || (name != "aten::sort" && name != "aten::sorted")) return;
  const auto* compare = torch::jit::tryToGraphFunction(*type->findMethod("__lt__"));
  if (compare != nullptr && is_pure(compare->graph()->block()) && !marks.reach(inputs[0]) &&
      !holds_tensors(inputs[0]))
    return;
  throw Error("unsupported-op", cat(name, " of objects of class ", type->name()->name()),
              "its __lt__ changes something, or reads tensors or sizes",
              "sort numbers, or stack the tensors and sort them with torch.sort");
}

/// divmod() returns two numbers; each has a rule.
void mark_quotient(Stack& results, const Stack& inputs) {
  const std::vector<Operand> operands = {operand_of(inputs.at(0)), operand_of(inputs.at(1))};
  const std::array<std::string, 2> names = {"aten::floordiv", "aten::remainder"};
  for (size_t i = 0; i < names.size(); ++i)
    if (const auto exact = number_rule(names[i], operands))
      results.at(i) = marked(unmarked(results.at(i)), *exact);
}

/// If an operation returns an operand, replaces the unmarked copy by the program's own object.
void restore_operands(Stack& results, const Stack& copies, const Stack& inputs) {
  for (c10::IValue& result : results)
    for (size_t i = 0; i < copies.size(); ++i)
      if (result.isPtrType() && result.is(copies[i])) result = inputs[i];
}

/// The formula of an operation on numbers of which some were read from tensors.
FormulaRef read_number(const std::string& name, const Stack& inputs, const c10::IValue& result) {
  if (!are_numbers(inputs)) return nullptr;
  std::vector<FormulaRef> operands;
  for (const c10::IValue& input : inputs) operands.push_back(formula_of(input));
  return data_rule(name, operands, result);
}

}  // namespace

/// Whether both are the same number; adds the guard on sizes. Neither is data.
bool Scalars::same_number(const c10::IValue& a, const c10::IValue& b) {
  const Operand x = operand_of(a), y = operand_of(b);
  const bool same = x.number.equals(y.number).toBool();
  const auto p = size_of(x), q = size_of(y);
  if (p && q) {
    decisions_.add_guard({*p, ir::Relation::eq, *q}, same);
  } else {
    decisions_.note_number(x.mark, x.number);
    decisions_.note_number(y.mark, y.number);
  }
  return same;
}

/// `a == b`, `a != b` and `item in list` of lists of integers, element by element.
std::optional<c10::IValue> Scalars::compare_lists(const std::string& name, const Stack& inputs) {
  if (inputs.size() != 2 || !inputs[0].isList() || marks_.of(inputs[0])) return std::nullopt;
  const auto list = inputs[0].toListRef();
  if (!are_numbers(list.vec())) return std::nullopt;
  if (name == "aten::__contains__" && is_number(inputs[1]))
    return c10::IValue(std::any_of(list.begin(), list.end(), [&](const c10::IValue& element) {
      return same_number(element, inputs[1]);
    }));
  if ((name != "aten::eq" && name != "aten::ne") || !inputs[1].isList() || marks_.of(inputs[1]))
    return std::nullopt;
  const auto other = inputs[1].toListRef();
  if (!are_numbers(other.vec())) return std::nullopt;
  bool same = list.size() == other.size();
  for (size_t i = 0; same && i < list.size(); ++i) same = same_number(list[i], other[i]);
  return c10::IValue(same == (name == "aten::eq"));
}

/// Specialises comparisons that are read by anything but a branch.
void Scalars::specialise_comparisons(Stack& inputs) {
  const auto specialised = [&](const c10::IValue& value) {
    const Mark mark = mark_of(value);
    if (!comparison_of(mark) || depends_on_iteration(mark)) return value;
    decisions_.add_guard(mark, unmarked(value).toBool());
    return unmarked(value);
  };
  for (c10::IValue& input : inputs) {
    input = specialised(input);
    if (!input.isBoolList()) continue;
    c10::impl::GenericList list = input.toList();
    for (size_t i = 0; i < list.size(); ++i) list.set(i, specialised(list.get(i)));
  }
}

void Scalars::guard_range(const std::string& name, const std::vector<Operand>& operands) {
  if (name != "aten::__range_length") return;
  if (const auto guard = range_guard(operands))
    if (const Mark mark = condition_mark(*guard); !depends_on_iteration(mark))
      decisions_.add_guard(mark, true);
}

Mark Scalars::scalar_mark(const std::string& name, const Stack& inputs,
                          std::optional<Mark>& exact) {
  Mark source = marks_.reach_all(inputs);
  // A tensor is never None, so only two tensors are of interest.
  if (tests_identity(name) && recorder_ != nullptr && !inputs[0].isNone() && !inputs[1].isNone())
    for (const c10::IValue& input : inputs) {
      if (!input.isTensor() || !input.toTensor().defined()) continue;
      if (recorder_->aliases().is_choice(input.toTensor()))
        source = data_mark(position_.origin("which of two tensors a branch chose"));
      decisions_.add_guards(recorder_->sharing_conditions(input.toTensor()));
    }
  if (!source) {
    exact = Mark();
  } else if (name == "aten::len") {
    exact = marks_.of(inputs[0]);
  } else if (tests_identity(name) && !is_data(source)) {
    exact = Mark();
  } else if (!is_data(source) && are_numbers(inputs)) {
    std::vector<Operand> operands;
    for (const c10::IValue& input : inputs) operands.push_back(operand_of(input));
    guard_range(name, operands);
    exact = number_rule(name, operands);
    if (exact && is_size(*exact) && operands.size() == 1)
      decisions_.add_guards(rounding_guards(name, operands[0]));
  } else if (!is_data(source) && inputs.size() == 1 && inputs[0].isList() &&
             !marks_.of(inputs[0])) {
    exact = fold(name, inputs[0]);
  }
  return source;
}

Stack Scalars::run(const Operation& operation, Stack inputs) {
  const c10::FunctionSchema& schema = operation.op->schema();
  const std::string& name = schema.name();
  state_.touches_containers(schema, inputs, position_);
  refuse_comparison(name, marks_, inputs);
  std::optional<Mark> exact;
  Mark source = scalar_mark(name, inputs, exact);
  if (source && !exact && !is_data(source)) {
    if (const auto result = compare_lists(name, inputs)) return {*result};
    if (name == "aten::__contains__" && inputs[0].isGenericDict()) {
      container_operations_.guard_key(inputs[0], inputs[1], name);
      exact = marks_.of(inputs[0]);
    }
    specialise_comparisons(inputs);
    source = marks_.reach_all(inputs);
  }
  const bool changes = schema.is_mutable() && !inputs.empty() && is_container(inputs[0]);
  if (changes) marks_.strip(inputs[0]);
  if (changes) loops_.note_write(inputs[0]);
  const Stack copies = plain_operands(name, marks_, recorder_, inputs);
  Stack results = copies;
  if (schema.is_vararg() && operation.op->hasOperation())
    results.emplace_back(static_cast<int64_t>(inputs.size()));
  operations_.execute(operation, results);
  restore_operands(results, copies, inputs);
  const FormulaRef read = is_data(source) && recorder_ != nullptr && results.size() == 1
                              ? read_number(name, inputs, results[0])
                              : nullptr;
  for (c10::IValue& result : results)
    if (read && read->op == "number")
      result = read->number;
    else if (read)
      result = marked(result, data_mark(origin_of(source), read));
    else if (exact && is_number(result))
      result = marked(result, result.isDouble() ? as_float(*exact, result.toDouble()) : *exact);
    else
      result = marks_.tainted(result, source, name);
  if (name == "aten::divmod" && source && !is_data(source)) mark_quotient(results, inputs);
  if (changes) marks_.tainted(inputs[0], source, name);
  // Results that cannot carry a mark are refused: complex numbers, enums, None, selected modules.
  const bool loses_mark =
      std::any_of(results.begin(), results.end(), [this](const c10::IValue& result) {
        return result.isObject() || (!is_container(result) && !marks_.reach(result));
      });
  if (loses_mark && !exact) decisions_.note_number(source, "of complex type, or a choice");
  return results;
}

}  // namespace t2n::trace
