// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/numbers/data_rules.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

namespace t2n::trace {
namespace {

using FormulaRefs = std::vector<FormulaRef>;

/// How an operation treats the types of its operands.
enum class Kind {
  any,       ///< computes in the type of the result
  floating,  ///< only in floating point
  integer,   ///< only in integers: for floats, Python rounds differently from torch
  compare,   ///< compares numbers of any type and gives a bool
  logic,     ///< only of bools: integers are combined bit by bit
  cast,      ///< casts to the type of the result
};

struct Rule {
  std::string_view op;
  size_t operands;
  Kind kind;
};

const std::map<std::string_view, Rule>& rules() {
  static const std::map<std::string_view, Rule> table = {
      {"aten::add", {"add", 2, Kind::any}},
      {"aten::sub", {"sub", 2, Kind::any}},
      {"aten::mul", {"mul", 2, Kind::any}},
      {"aten::neg", {"neg", 1, Kind::any}},
      {"prim::abs", {"abs", 1, Kind::any}},
      {"aten::div", {"div", 2, Kind::floating}},
      {"aten::pow", {"pow", 2, Kind::floating}},
      {"aten::sqrt", {"sqrt", 1, Kind::floating}},
      {"aten::exp", {"exp", 1, Kind::floating}},
      {"aten::log", {"log", 1, Kind::floating}},
      {"aten::floor", {"floor", 1, Kind::integer}},
      {"aten::ceil", {"ceil", 1, Kind::integer}},
      {"aten::floordiv", {"floor_divide", 2, Kind::integer}},
      {"aten::remainder", {"remainder", 2, Kind::integer}},
      {"aten::lt", {"lt", 2, Kind::compare}},
      {"aten::le", {"le", 2, Kind::compare}},
      {"aten::gt", {"gt", 2, Kind::compare}},
      {"aten::ge", {"ge", 2, Kind::compare}},
      {"aten::eq", {"eq", 2, Kind::compare}},
      {"aten::ne", {"ne", 2, Kind::compare}},
      {"aten::__and__", {"logical_and", 2, Kind::logic}},
      {"aten::__or__", {"logical_or", 2, Kind::logic}},
      {"aten::__xor__", {"ne", 2, Kind::logic}},
      {"aten::__not__", {"logical_not", 1, Kind::logic}},
      {"aten::Int", {"to", 1, Kind::cast}},
      {"aten::Float", {"to", 1, Kind::cast}},
      {"aten::Bool", {"to", 1, Kind::cast}},
      {"aten::IntImplicit", {"to", 1, Kind::cast}},
      {"aten::FloatImplicit", {"to", 1, Kind::cast}},
      {"aten::ScalarImplicit", {"to", 1, Kind::cast}},
      {"aten::item", {"to", 1, Kind::cast}},
  };
  return table;
}

bool are_all(const FormulaRefs& operands, FormulaType type) {
  return std::all_of(operands.begin(), operands.end(),
                     [type](const FormulaRef& operand) { return operand->type == type; });
}

bool fits_kind(Kind kind, const FormulaRefs& operands, FormulaType result) {
  if (kind == Kind::floating) return result == FormulaType::floating;
  if (kind == Kind::integer) return result == FormulaType::integer;
  if (kind == Kind::compare) return result == FormulaType::boolean;
  if (kind == Kind::logic)
    return result == FormulaType::boolean && are_all(operands, FormulaType::boolean);
  return kind == Kind::cast || result != FormulaType::boolean;
}

/// min(a, b) is `a if a < b else b`, which also defines its result for NaN.
FormulaRef extreme(const std::string& name, const FormulaRefs& operands, FormulaType type) {
  const FormulaRef& a = operands[0];
  const FormulaRef& b = operands[1];
  if (a->type != b->type || a->type != type) return nullptr;
  FormulaRef is_first =
      operation_formula(name == "prim::min" ? "lt" : "gt", FormulaType::boolean, {a, b});
  return operation_formula("where", type, {std::move(is_first), a, b});
}

/// tract merges equal constants, and 0.0 equals -0.0.
bool is_minus_zero(const Formula& formula) {
  return formula.op == "number" && formula.number.isDouble() && formula.number.toDouble() == 0 &&
         std::signbit(formula.number.toDouble());
}

/// `False and x` and the like, which do not depend on x; null for all other operations.
FormulaRef short_circuited(std::string_view name, const FormulaRefs& operands) {
  const bool is_and = name == "aten::__and__";
  if ((!is_and && name != "aten::__or__") || !are_all(operands, FormulaType::boolean))
    return nullptr;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i]->op != "number") continue;
    return operands[i]->number.toBool() == is_and ? operands[1 - i] : operands[i];
  }
  return nullptr;
}

}  // namespace

FormulaRef data_rule(const std::string& name, const FormulaRefs& operands,
                     const c10::IValue& result) {
  const bool is_number = result.isInt() || result.isDouble() || result.isBool();
  if (!is_number || std::find(operands.begin(), operands.end(), nullptr) != operands.end())
    return nullptr;
  const FormulaType type = type_of_number(result);
  if ((name == "prim::min" || name == "prim::max") && operands.size() == 2)
    return extreme(name, operands, type);
  const auto found = rules().find(name);
  if (found == rules().end()) return nullptr;
  const Rule& rule = found->second;
  if (rule.operands != operands.size() || !fits_kind(rule.kind, operands, type)) return nullptr;
  if (FormulaRef known = short_circuited(name, operands)) return known;
  if (rule.op == "floor" || rule.op == "ceil")
    return are_all(operands, FormulaType::floating)
               ? operation_formula(std::string(rule.op), type, operands)
               : nullptr;
  return operation_formula(std::string(rule.op), type, operands);
}

FormulaRef choice_formula(const FormulaRef& condition, const FormulaRef& yes,
                          const FormulaRef& no) {
  if (!condition || !yes || !no || yes->type != no->type) return nullptr;
  if (is_minus_zero(*yes) || is_minus_zero(*no)) return nullptr;
  return operation_formula("where", yes->type, {condition, yes, no});
}

}  // namespace t2n::trace
