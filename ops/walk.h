// Visits to the parts of NNEF expressions.
#pragma once

#include "nnef_writer/ast.h"

namespace t2n::ops {

/// Calls `visit(value)` for an expression and everything in it.
template <typename V, typename Visit>
void walk(V& value, Visit&& visit) {
  visit(value);
  for (auto& item : value.items) walk(item, visit);
  for (auto& argument : value.arguments) walk(argument.value, visit);
  for (auto& loop : value.loops) walk(loop.sequence, visit);
  for (auto& condition : value.condition) walk(condition, visit);
}

/// Calls `visit(id)` for the identifiers in an expression whose text is not settled yet.
template <typename Visit>
void for_each_id(const nnef::Value& value, Visit&& visit) {
  walk(value, [&](const nnef::Value& v) {
    if (v.kind == nnef::Kind::identifier && v.text.empty()) visit(static_cast<int>(v.integer));
  });
}

}  // namespace t2n::ops
