// Visits parts of NNEF expressions.
#pragma once

#include <string_view>
#include <vector>

#include "src/nnef/ast.h"

namespace t2n::nnef {

/// Calls `visit(part)` for the direct parts of an expression.
template <typename V, typename Visit>
void for_each_part(V& value, Visit&& visit) {
  for (auto& item : value.items) visit(item);
  for (auto& argument : value.arguments) visit(argument.value);
  for (auto& loop : value.loops) visit(loop.sequence);
  for (auto& condition : value.condition) visit(condition);
}

/// Calls `visit(value)` for an expression and everything in it.
template <typename V, typename Visit>
void walk(V& value, Visit&& visit) {
  visit(value);
  for_each_part(value, [&](auto& part) { walk(part, visit); });
}

/// The names on the left side of an assignment, in order; they live as long as it does.
std::vector<std::string_view> assigned_names(const Value& left);

}  // namespace t2n::nnef
