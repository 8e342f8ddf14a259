// SPDX-License-Identifier: Apache-2.0
// Visits and finds parts of NNEF documents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
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
/// The first of them, or "".
std::string first_name(const Value& left);

/// The argument with that name, or the positional one at `position`; nullptr if there is none.
const Value* find_argument(const Value& call, std::string_view name, size_t position = SIZE_MAX);

/// The operation of an operator between tensors: "add" for "+"; "" for those of logicals.
std::string_view operation_of(std::string_view sign);

/// The fragments of a document by name. The document must outlive it.
class FragmentTable {
 public:
  FragmentTable() = default;
  explicit FragmentTable(const Document& document);
  /// nullptr if there is none.
  const Fragment* find(std::string_view name) const;
  /// One that is not only declared.
  const Fragment* find_defined(std::string_view name) const;

 private:
  std::unordered_map<std::string_view, const Fragment*> fragments_;
};

}  // namespace t2n::nnef
