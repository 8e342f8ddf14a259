// SPDX-License-Identifier: Apache-2.0
#include "src/stream/resets.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "src/nnef/walk.h"
#include "src/nnef_ops/book.h"

namespace t2n::stream {
namespace {

/// Statements by the names that they assign.
using Statements = std::unordered_map<std::string_view, const nnef::Assignment*>;

Statements statements_of(const nnef::Document& document) {
  Statements out;
  for (const nnef::Assignment& statement : document.graph.body)
    for (const std::string_view name : nnef::assigned_names(statement.left)) out[name] = &statement;
  return out;
}

/// Whether a tensor consists of the values of an input, perhaps rearranged.
bool is_input(const nnef::Value& value, const Statements& statements) {
  const auto all = [&](const std::vector<nnef::Value>& items) {
    return !items.empty() && std::all_of(items.begin(), items.end(), [&](const nnef::Value& each) {
      return is_input(each, statements);
    });
  };
  if (value.kind == nnef::Kind::array) return all(value.items);
  if (value.kind == nnef::Kind::identifier) {
    const auto found = statements.find(value.text);
    return found != statements.end() && is_input(found->second->right, statements);
  }
  if (value.kind != nnef::Kind::invocation) return false;
  if (value.text == "external" || value.text == "tract_core_external") return true;
  const nnef_ops::Operation& known = nnef_ops::book().at(value.text);
  const bool moves = known.is(nnef_ops::kMovesData) || known.is(nnef_ops::kMovesAxes);
  return moves && !value.arguments.empty() && is_input(value.arguments[0].value, statements);
}

/// The symbol of a dynamic axis along which a scan begins with other states than inputs, or runs
/// backwards: then the pieces of an input give other results than the input.
std::optional<ir::Symbol> resets_along(const nnef::Value& call, const Statements& statements,
                                       const draft::Notes& notes) {
  if (call.text != "tract_core_scan") return {};
  const std::vector<nnef::Value>& states = nnef::find_argument(call, "state")->items;
  const bool starts_anew = std::any_of(states.begin(), states.end(), [&](const nnef::Value& row) {
    return !is_input(row.items.at(1), statements);
  });
  for (const nnef::Value& row : nnef::find_argument(call, "scan")->items) {
    const auto note = notes.tensors.find(row.items.at(1).text);
    const size_t axis = row.items.at(2).integer;
    const bool is_backward = row.items.at(3).integer < 0;
    if (note == notes.tensors.end() || axis >= note->second.shape.size() || states.empty() ||
        (!starts_anew && !is_backward))
      continue;
    const ir::Dim& size = note->second.shape[axis];
    if (!size.is_constant() && !ir::is_unbacked(size)) return *size.symbols().begin();
  }
  return {};
}

}  // namespace

std::vector<Reset> find_resets(const nnef::Document& document, const draft::Notes& notes) {
  std::vector<Reset> out;
  const Statements statements = statements_of(document);
  for (const nnef::Assignment& statement : document.graph.body)
    if (const auto symbol = resets_along(statement.right, statements, notes))
      out.push_back({nnef::first_name(statement.left), *symbol});
  return out;
}

}  // namespace t2n::stream
