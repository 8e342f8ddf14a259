// SPDX-License-Identifier: Apache-2.0
// Rules for the results of scalar operations on marked numbers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/frontend/numbers/mark.h"

namespace t2n::trace {

/// A number without its mark, and the mark.
struct Operand {
  c10::IValue number;
  Mark mark;
};

/// The mark of a scalar operation's result if it is exact: an expression over sizes, a comparison
/// of expressions, or a formula. `name`: as "aten::add". The operands are in schema order, and none
/// is data. `bits`: the mantissa of the floats in which it computes. Nothing if there is no rule.
std::optional<Mark> number_rule(const std::string& name, const std::vector<Operand>& operands,
                                int bits = 53);

/// The integers combined by aten::add, prim::min or prim::max; nothing if there is no rule.
std::optional<Operand> folded(const std::string& name, const std::vector<Operand>& integers);

/// The condition under which the length of range(lo, hi, step) is an expression: the order of the
/// two bounds, as in this run.
std::optional<ir::Comparison> range_guard(const std::vector<Operand>& operands);

/// The mark of a float that equals this integer; it is `number` in this run.
Mark as_float(const Mark& mark, double number);

/// The integer as an expression; nothing if it has none.
std::optional<ir::Dim> size_of(const Operand& operand);
/// The same for one that has an expression, or no mark.
ir::Dim expression(const c10::IValue& integer);

}  // namespace t2n::trace
