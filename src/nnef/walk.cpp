// SPDX-License-Identifier: Apache-2.0
#include "src/nnef/walk.h"

#include <map>

namespace t2n::nnef {

std::vector<std::string_view> assigned_names(const Value& left) {
  std::vector<std::string_view> out;
  walk(left, [&](const Value& value) {
    if (value.kind == Kind::identifier) out.push_back(value.text);
  });
  return out;
}

std::string first_name(const Value& left) {
  const auto names = assigned_names(left);
  return names.empty() ? "" : std::string(names[0]);
}

const Value* find_argument(const Value& call, std::string_view name, size_t position) {
  for (const Argument& argument : call.arguments)
    if (argument.name == name) return &argument.value;
  if (position >= call.arguments.size()) return nullptr;
  const Argument& argument = call.arguments[position];
  return argument.name.empty() ? &argument.value : nullptr;
}

std::string_view operation_of(std::string_view sign) {
  static const std::map<std::string_view, std::string_view> operations = {
      {"+", "add"}, {"-", "sub"}, {"*", "mul"}, {"/", "div"}, {"^", "pow"}, {"<", "lt"},
      {">", "gt"},  {"<=", "le"}, {">=", "ge"}, {"==", "eq"}, {"!=", "ne"}};
  const auto found = operations.find(sign);
  return found == operations.end() ? std::string_view() : found->second;
}

FragmentTable::FragmentTable(const Document& document) {
  for (const Fragment& fragment : document.fragments) {
    const Fragment*& entry = fragments_[fragment.name];
    if (entry == nullptr || !fragment.body.empty()) entry = &fragment;
  }
}

const Fragment* FragmentTable::find(std::string_view name) const {
  const auto found = fragments_.find(name);
  return found == fragments_.end() ? nullptr : found->second;
}

const Fragment* FragmentTable::find_defined(std::string_view name) const {
  const Fragment* const found = find(name);
  return found == nullptr || found->body.empty() ? nullptr : found;
}

}  // namespace t2n::nnef
