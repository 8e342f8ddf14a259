// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/numbers/number_rules.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "src/diag/error.h"
#include "src/frontend/numbers/ratios.h"

namespace t2n::trace {
namespace {

using ir::Dim;
using ir::Relation;
using RuleOperands = std::vector<Operand>;
using Answer = std::optional<Mark>;

using Combine = Dim (*)(const Dim&, const Dim&);

/// enumerate() and zip() start with this value and take the minimum of the list lengths.
const Dim kNoLimit = INT64_MAX;

const std::map<std::string, Combine>& binary_operations() {
  static const std::map<std::string, Combine> table = {
      {"aten::add", [](const Dim& a, const Dim& b) { return a + b; }},
      {"aten::sub", [](const Dim& a, const Dim& b) { return a - b; }},
      {"aten::rsub", [](const Dim& a, const Dim& b) { return b - a; }},
      {"aten::mul", [](const Dim& a, const Dim& b) { return a * b; }},
      {"aten::floordiv", [](const Dim& a, const Dim& b) { return floor_div(a, b); }},
      {"aten::floor_divide", [](const Dim& a, const Dim& b) { return floor_div(a, b); }},
      {"aten::remainder", [](const Dim& a, const Dim& b) { return floor_mod(a, b); }},
      {"prim::min",
       [](const Dim& a, const Dim& b) {
         return a == kNoLimit ? b : b == kNoLimit ? a : min(a, b);
       }},
      {"prim::max", [](const Dim& a, const Dim& b) { return max(a, b); }},
  };
  return table;
}

const std::map<std::string, Relation>& relations() {
  static const std::map<std::string, Relation> table = {
      {"aten::lt", Relation::lt}, {"aten::le", Relation::le}, {"aten::gt", Relation::gt},
      {"aten::ge", Relation::ge}, {"aten::eq", Relation::eq}, {"aten::ne", Relation::ne}};
  return table;
}

Answer power(const Dim& base, const Operand& exponent) {
  constexpr int64_t kMaxExponent = 4;
  if (exponent.mark || !exponent.number.isInt()) return std::nullopt;
  const int64_t count = exponent.number.toInt();
  if (count < 0 || count > kMaxExponent) return std::nullopt;
  Dim out = 1;
  for (int64_t i = 0; i < count; ++i) out = out * base;
  return size_mark(out);
}

/// A shift by a constant is a product with, or a quotient by, a power of two.
Answer shifted(const std::string& name, const Dim& number, const Dim& count) {
  constexpr int64_t kMaxShift = 30;
  if (!count.is_constant() || count.value() < 0 || count.value() > kMaxShift) return std::nullopt;
  const Dim factor(int64_t{1} << count.value());
  return size_mark(name == "aten::__lshift__" ? number * factor : floor_div(number, factor));
}

/// The length of range(lo, hi, step), if hi is not below lo, which range_guard() requires.
Answer range_length(const RuleOperands& operands, const Dim& lo, const Dim& hi) {
  if (operands[2].mark) return std::nullopt;
  const int64_t step = operands[2].number.toInt();
  const bool is_empty = step > 0 ? operands[1].number.toInt() <= operands[0].number.toInt()
                                 : operands[1].number.toInt() >= operands[0].number.toInt();
  if (is_empty) return Mark();
  if (step == 1) return size_mark(hi - lo);
  if (step == -1) return size_mark(lo - hi);
  return size_mark(floor_div(hi - lo + Dim(step + (step < 0 ? 1 : -1)), Dim(step)));
}

Answer integer_rule(const std::string& name, const RuleOperands& operands) {
  std::vector<Dim> sizes;
  for (const Operand& operand : operands) {
    const auto size = size_of(operand);
    if (!size) return std::nullopt;
    sizes.push_back(*size);
  }
  if (sizes.size() == 1) {
    if (name == "aten::neg") return size_mark(Dim(-1) * sizes[0]);
    if (name == "prim::abs") return size_mark(max(sizes[0], Dim(-1) * sizes[0]));
    if (name == "aten::Bool") return condition_mark({sizes[0], Relation::ne, 0});
  }
  if (sizes.size() == 2) {
    if (name == "aten::pow") return std::nullopt;  // the result is a float
    if (const auto found = relations().find(name); found != relations().end())
      return condition_mark({sizes[0], found->second, sizes[1]});
    if (name == "aten::__lshift__" || name == "aten::__rshift__")
      return shifted(name, sizes[0], sizes[1]);
    const auto found = binary_operations().find(name);
    if (found == binary_operations().end()) return std::nullopt;
    return size_mark(found->second(sizes[0], sizes[1]));
  }
  if (sizes.size() == 3 && name == "aten::__range_length")
    return range_length(operands, sizes[0], sizes[1]);
  if (sizes.size() == 3 && name == "aten::__derive_index")
    return size_mark(sizes[1] + sizes[0] * sizes[2]);
  return std::nullopt;
}

FormulaRef operand_formula(const Operand& operand) {
  if (const FormulaRef formula = formula_of(operand.mark)) return formula;
  if (is_opaque(operand.mark) || !(operand.number.isDouble() || operand.number.isInt()))
    return nullptr;
  if (const auto size = exact_size(operand.mark))
    return size_formula(*size, operand.number.toInt(), FormulaType::floating);
  return number_formula(operand.number.toScalar().toDouble());
}

/// The formula operator for each scalar operator; "" for conversions.
const std::map<std::string, std::string>& formula_operators() {
  static const std::map<std::string, std::string> table = {
      {"aten::add", "add"}, {"aten::sub", "sub"},       {"aten::mul", "mul"},
      {"aten::div", "div"}, {"aten::neg", "neg"},       {"aten::sqrt", "sqrt"},
      {"aten::pow", "pow"}, {"aten::exp", "exp"},       {"aten::log", "log"},
      {"prim::abs", "abs"}, {"prim::min", "minimum"},   {"prim::max", "maximum"},
      {"aten::Float", ""},  {"aten::FloatImplicit", ""}};
  return table;
}

FormulaRef combined(const std::string& name, const RuleOperands& operands) {
  const auto op = formula_operators().find(name);
  if (op == formula_operators().end() || operands.empty() || operands.size() > 2) return nullptr;
  std::vector<FormulaRef> parts;
  for (const Operand& operand : operands) {
    parts.push_back(operand_formula(operand));
    if (!parts.back()) return nullptr;
  }
  if (op->second.empty()) return parts[0];
  return operation_formula(op->second, FormulaType::floating, std::move(parts));
}

Answer float_rule(const std::string& name, const RuleOperands& operands, int bits) {
  if (operands.size() == 1)
    if (auto mark = rounded(name, operands[0])) return mark;
  if (const auto found = relations().find(name); found != relations().end()) {
    const auto a = exact_ratio(operands[0]), b = exact_ratio(operands[1]);
    if (!a || !b) return std::nullopt;
    return condition_mark(
        {a->number * Dim(b->divisor), found->second, b->number * Dim(a->divisor)});
  }
  const FormulaRef formula = combined(name, operands);
  if (!formula) return std::nullopt;
  Mark joined;
  for (const Operand& operand : operands) joined = join(joined, operand.mark);
  return opaque_mark(sizes_of(joined), formula, quotient(name, operands, bits));
}

/// Computes a comparison of integers in the graph.
FormulaRef computed_truth(const std::string& name, const RuleOperands& operands) {
  std::vector<FormulaRef> parts;
  for (const Operand& operand : operands) {
    const int64_t number = operand.number.toInt();
    const auto size = exact_size(operand.mark);
    parts.push_back(size ? size_formula(*size, number, FormulaType::integer)
                         : number_formula(number));
  }
  if (name == "aten::Bool") parts.push_back(number_formula(int64_t{0}));
  const std::string_view op = name == "aten::Bool" ? "ne" : ir::op_short_name(name);
  return operation_formula(std::string(op), FormulaType::boolean, std::move(parts));
}

/// The negation of a condition.
Mark opposite(const Mark& condition) {
  FormulaRef truth = truth_of(condition);
  if (truth) truth = operation_formula("logical_not", FormulaType::boolean, {truth});
  return condition_mark(ir::negated(*comparison_of(condition)), std::move(truth));
}

/// `a and True` is a; `a and False` is constant. Torch compiles `continue` in loops to these.
Answer logical_with_constant(const std::string& name, const RuleOperands& operands) {
  if ((name != "aten::__and__" && name != "aten::__or__") || operands.size() != 2)
    return std::nullopt;
  for (size_t i = 0; i < 2; ++i) {
    const Operand& plain = operands[1 - i];
    if (plain.mark || !plain.number.isBool() || !operands[i].number.isBool()) continue;
    const bool is_neutral = plain.number.toBool() == (name == "aten::__and__");
    return is_neutral ? operands[i].mark : Mark();
  }
  return std::nullopt;
}

bool is_identity(const std::string& name) {
  return name == "aten::Int" || name == "prim::NumToTensor" || name == "aten::IntImplicit" ||
         name == "aten::ScalarImplicit" || name == "aten::item" || name == "aten::tensor" ||
         name == "aten::floor" || name == "aten::ceil";
}

}  // namespace

std::optional<Dim> size_of(const Operand& operand) {
  if (operand.mark || !operand.number.isInt()) return exact_size(operand.mark);
  return Dim(operand.number.toInt());
}

Dim expression(const c10::IValue& integer) {
  return size_or(mark_of(integer), unmarked(integer).toInt());
}

Mark as_float(const Mark& mark, double number) {
  const auto size = exact_size(mark);
  if (!size) return mark;
  return opaque_mark(*size,
                     size_formula(*size, static_cast<int64_t>(number), FormulaType::floating),
                     Ratio{*size});
}

std::optional<ir::Comparison> range_guard(const RuleOperands& operands) {
  const auto lo = size_of(operands[0]), hi = size_of(operands[1]);
  if (!lo || !hi || operands[2].mark) return std::nullopt;
  const bool is_upwards = operands[2].number.toInt() > 0;
  const bool is_empty = is_upwards ? operands[1].number.toInt() <= operands[0].number.toInt()
                                   : operands[1].number.toInt() >= operands[0].number.toInt();
  return ir::Comparison{*hi, is_upwards == is_empty ? Relation::le : Relation::ge, *lo};
}

std::optional<Mark> number_rule(const std::string& name, const RuleOperands& operands, int bits) {
  if (operands.empty()) return std::nullopt;
  if (std::ranges::none_of(operands, [](const Operand& each) { return each.mark != nullptr; }))
    return Mark();  // the same at all sizes
  if (operands.size() == 1 && is_size(operands[0].mark) && is_identity(name))
    return operands[0].mark;
  if (auto answer = logical_with_constant(name, operands)) return answer;
  if (operands.size() == 1 && name == "aten::__not__" && comparison_of(operands[0].mark))
    return opposite(operands[0].mark);
  if (name == "aten::pow" && operands.size() == 2 && operands[0].number.isInt() &&
      operands[1].number.isInt() && size_of(operands[0]))
    if (auto mark = power(*size_of(operands[0]), operands[1])) return mark;
  if (auto answer = integer_rule(name, operands)) {
    if (const auto comparison = comparison_of(*answer))
      return condition_mark(*comparison, computed_truth(name, operands));
    return answer;
  }
  return float_rule(name, operands, bits);
}

std::optional<Operand> folded(const std::string& name, const RuleOperands& integers) {
  Operand out = integers.at(0);
  for (size_t i = 1; i < integers.size(); ++i) {
    const auto mark = number_rule(name, {out, integers[i]});
    if (!mark) return std::nullopt;
    const int64_t a = out.number.toInt(), b = integers[i].number.toInt();
    out = {name == "aten::add"   ? a + b
           : name == "prim::min" ? std::min(a, b)
                                 : std::max(a, b),
           *mark};
  }
  return out;
}

}  // namespace t2n::trace
