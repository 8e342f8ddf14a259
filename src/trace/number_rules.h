// What scalar operations make of marked numbers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/trace/mark.h"

namespace t2n::trace {

/// A number without its mark, and the mark.
struct Operand {
  c10::IValue number;
  Mark mark;
};

/// The mark of a scalar operation's result, where it can be said exactly: an expression over sizes,
/// a comparison of such, or a formula. `name` is "aten::add"; operands in schema order, none of
/// them data. Nothing if there is no rule.
std::optional<Mark> number_rule(const std::string& name, const std::vector<Operand>& operands);

/// What range(lo, hi, step) needs of its bounds so that its length is an expression: which of them
/// is the larger, as in this run.
std::optional<ir::Comparison> range_guard(const std::vector<Operand>& operands);

/// The mark of a float that is this integer, and `number` in this run.
Mark as_real(const Mark& mark, double number);

/// The integer as an expression; nothing if it is none.
std::optional<ir::Dim> size_of(const Operand& operand);

}  // namespace t2n::trace
