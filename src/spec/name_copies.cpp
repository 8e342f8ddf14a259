// SPDX-License-Identifier: Apache-2.0
#include "src/spec/name_copies.h"

#include <algorithm>
#include <array>

#include "src/diag/error.h"
#include "src/diag/one_of.h"
#include "src/nnef/names.h"
#include "src/nnef/walk.h"

namespace t2n::spec {
namespace {

/// tract calls an output after the last node that it makes for it: "scores_3" for an addition of a
/// literal. For these operations it makes one, which keeps the name when it is optimised.
constexpr std::array<std::string_view, 10> kKeepNames = {"softmax",    "tract_core_log_softmax",
                                                         "sigmoid",    "tanh",
                                                         "matmul",     "concat",
                                                         "sum_reduce", "max_reduce",
                                                         "min_reduce", "argmax_reduce"};

/// The statement whose only result has the name; nullptr if there is none.
const nnef::Assignment* find(const nnef::Document& document, std::string_view name) {
  const auto found = std::ranges::find_if(document.graph.body, [&](const nnef::Assignment& each) {
    return each.left.kind == nnef::Kind::identifier && each.left.text == name;
  });
  return found == document.graph.body.end() ? nullptr : &*found;
}

bool keeps_name(const nnef::Document& document, const std::string& name) {
  const nnef::Assignment* const statement = find(document, name);
  return statement != nullptr && is_one_of(statement->right.text, kKeepNames);
}

void rename(nnef::Document& document, const std::string& from, const std::string& to) {
  const auto change = [&](nnef::Value& expression) {
    nnef::walk(expression, [&](nnef::Value& value) {
      if (value.kind == nnef::Kind::identifier && value.text == from) value.text = to;
    });
  };
  for (nnef::Assignment& statement : document.graph.body) {
    change(statement.left);
    change(statement.right);
  }
  for (nnef::QuantEntry& entry : document.quant)
    if (entry.name == from) entry.name = to;
}

bool is_copy(const nnef::Assignment& statement, const nnef::Document& document) {
  const nnef::Value& right = statement.right;
  if (right.text != "sum_reduce" || statement.left.kind != nnef::Kind::identifier) return false;
  const nnef::Value* const axes = nnef::find_argument(right, "axes", 1);
  return axes != nullptr && axes->kind == nnef::Kind::array && axes->items.empty() &&
         right.arguments[0].value.kind == nnef::Kind::identifier &&
         std::ranges::count(document.graph.results, statement.left.text) > 0;
}

}  // namespace

void add_name_copy(nnef::Document& document, const std::string& name) {
  if (keeps_name(document, name)) return;
  nnef::UniqueNames unique;
  for (const nnef::Assignment& statement : document.graph.body)
    for (const std::string_view each : nnef::assigned_names(statement.left)) unique.reserve(each);
  const std::string value = unique.claim(cat(name, "_value"));
  rename(document, name, value);
  document.graph.body.push_back(
      {nnef::identifier(name),
       nnef::invocation("sum_reduce", {{"", nnef::identifier(value)}, {"axes", nnef::array({})}}),
       {}});
}

bool is_name_copy(const nnef::Document& document, std::string_view name) {
  const nnef::Assignment* const statement = find(document, name);
  return statement != nullptr && is_copy(*statement, document);
}

nnef::Document without_name_copies(nnef::Document document) {
  while (!document.graph.body.empty() && is_copy(document.graph.body.back(), document)) {
    const nnef::Assignment last = std::move(document.graph.body.back());
    document.graph.body.pop_back();
    rename(document, last.right.arguments[0].value.text, last.left.text);
  }
  return document;
}

}  // namespace t2n::spec
