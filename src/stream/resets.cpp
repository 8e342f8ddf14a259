// SPDX-License-Identifier: Apache-2.0
#include "src/stream/resets.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>

#include "src/diag/error.h"
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

/// Whether a tensor consists of the values of an input without the symbol, perhaps rearranged: a
/// state that the user passes in. An input along the symbol arrives in pieces itself.
bool is_passed_in(const nnef::Value& value, const Statements& statements,
                  const ir::Symbol& symbol) {
  const auto all = [&](const std::vector<nnef::Value>& items) {
    return !items.empty() && std::all_of(items.begin(), items.end(), [&](const nnef::Value& each) {
      return is_passed_in(each, statements, symbol);
    });
  };
  if (value.kind == nnef::Kind::array) return all(value.items);
  if (value.kind == nnef::Kind::identifier) {
    const auto found = statements.find(value.text);
    return found != statements.end() && is_passed_in(found->second->right, statements, symbol);
  }
  if (value.kind != nnef::Kind::invocation) return false;
  if (value.text == "external" || value.text == "tract_core_external") {
    bool has_symbol = false;
    nnef::walk(value, [&](const nnef::Value& part) {
      has_symbol = has_symbol || (part.kind == nnef::Kind::identifier && part.text == symbol.str());
    });
    return !has_symbol;
  }
  const nnef_ops::Operation& known = nnef_ops::book().at(value.text);
  const bool moves = known.is(nnef_ops::kMovesData) || known.is(nnef_ops::kMovesAxes);
  return moves && !value.arguments.empty() &&
         is_passed_in(value.arguments[0].value, statements, symbol);
}

/// The rows of an argument of a scan.
const std::vector<nnef::Value>& rows(const nnef::Value& call, std::string_view argument) {
  static const std::vector<nnef::Value> none;
  const nnef::Value* const found = nnef::find_argument(call, argument);
  return found == nullptr ? none : found->items;
}

/// The body of a scan: which results depend on what a state holds when a run begins.
class ScanBody {
 public:
  ScanBody(const nnef::Document& document, const nnef::Value& call, const draft::Notes& notes)
      : states_(rows(call, "state")),
        full_(rows(call, "full")),
        outputs_(rows(call, "output")),
        notes_(notes) {
    const std::string& name = nnef::find_argument(call, "body")->text;
    for (const nnef::Fragment& fragment : document.fragments)
      if (fragment.name == name) statements_ = &fragment.body;
    T2N_ASSERT(statements_ != nullptr, "no fragment is called ", name);
  }

  /// By result: whether it depends on the state. A counter that only selects entries along an axis
  /// of dynamic size selects those of the same piece.
  std::vector<bool> depending_on(const nnef::Value& state) const {
    const bool is_counter = counts(state);
    std::set<std::string_view> names = {state.items.at(0).text};
    for (size_t before = 0; before != names.size();) {
      before = names.size();
      for (const nnef::Assignment& statement : *statements_)
        if (depends(statement.right, names, is_counter))
          for (const std::string_view name : nnef::assigned_names(statement.left))
            names.insert(name);
      for (const nnef::Value& other : states_)
        if (names.contains(other.items.at(2).text)) names.insert(other.items.at(0).text);
    }
    std::vector<bool> out;
    for (const nnef::Value& row : outputs_) out.push_back(names.contains(row.items.at(0).text));
    return out;
  }

 private:
  /// Whether the state is the number of the iteration: next = add(state, 1.0).
  bool counts(const nnef::Value& state) const {
    return std::ranges::any_of(*statements_, [&](const nnef::Assignment& statement) {
      const auto& arguments = statement.right.arguments;
      return nnef::first_name(statement.left) == state.items.at(2).text &&
             statement.right.text == "add" && arguments.size() == 2 &&
             arguments[0].value.text == state.items.at(0).text &&
             arguments[1].value.kind == nnef::Kind::scalar && arguments[1].value.number == 1;
    });
  }

  bool depends(const nnef::Value& expression, const std::set<std::string_view>& names,
               bool is_counter) const {
    if (is_counter && selects_of_piece(expression)) return false;
    bool out = false;
    nnef::walk(expression, [&](const nnef::Value& value) {
      out = out || (value.kind == nnef::Kind::identifier && names.contains(value.text));
    });
    return out;
  }

  /// Whether it is an entry, along an axis of dynamic size, of a tensor from outside.
  bool selects_of_piece(const nnef::Value& expression) const {
    if (expression.text != "tract_core_gather") return false;
    const nnef::Value* const axis = nnef::find_argument(expression, "axis", 2);
    const auto row = std::ranges::find_if(full_, [&](const nnef::Value& each) {
      return each.items.at(0).text == expression.arguments.at(0).value.text;
    });
    if (axis == nullptr || row == full_.end()) return false;
    const auto note = notes_.tensors.find(row->items.at(1).text);
    const auto at = static_cast<size_t>(axis->integer);
    return note != notes_.tensors.end() && at < note->second.shape.size() &&
           !note->second.shape[at].is_constant();
  }

  const std::vector<nnef::Value>& states_;
  const std::vector<nnef::Value>& full_;
  const std::vector<nnef::Value>& outputs_;
  const draft::Notes& notes_;
  const std::vector<nnef::Assignment>* statements_ = nullptr;
};

/// Whether a result of the scan that the graph uses depends on the state.
bool is_felt(const ScanBody& body, const nnef::Value& state, const nnef::Assignment& scan,
             const std::set<std::string_view>& used) {
  const std::vector<bool> depending = body.depending_on(state);
  const auto results = nnef::assigned_names(scan.left);
  for (size_t i = 0; i < results.size(); ++i)
    if (depending.at(i) && used.contains(results[i])) return true;
  return false;
}

/// The names that statements or results of the graph mention.
std::set<std::string_view> used_names(const nnef::Document& document) {
  std::set<std::string_view> out(document.graph.results.begin(), document.graph.results.end());
  for (const nnef::Assignment& statement : document.graph.body)
    nnef::walk(statement.right, [&](const nnef::Value& value) {
      if (value.kind == nnef::Kind::identifier) out.insert(value.text);
    });
  return out;
}

/// The symbol of the dynamic axis that a row of `scan` runs along.
std::optional<ir::Symbol> symbol_of(const nnef::Value& row, const draft::Notes& notes) {
  const auto note = notes.tensors.find(row.items.at(1).text);
  const size_t axis = row.items.at(2).integer;
  if (note == notes.tensors.end() || axis >= note->second.shape.size()) return {};
  const ir::Dim& size = note->second.shape[axis];
  if (size.is_constant() || ir::is_unbacked(size)) return {};
  return *size.symbols().begin();
}

/// The symbol of a dynamic axis along which a scan begins with other states than inputs, or runs
/// backwards: then the pieces of an input give other results than the input.
std::optional<ir::Symbol> resets_along(const nnef::Document& document,
                                       const nnef::Assignment& statement,
                                       const Statements& statements, const draft::Notes& notes) {
  const nnef::Value& call = statement.right;
  const std::vector<nnef::Value>& states = rows(call, "state");
  if (call.text != "tract_core_scan" || states.empty()) return {};
  const ScanBody body(document, call, notes);
  const std::set<std::string_view> used = used_names(document);
  for (const nnef::Value& row : rows(call, "scan")) {
    const auto symbol = symbol_of(row, notes);
    if (!symbol) continue;
    const bool is_backward = row.items.at(3).integer < 0;
    const bool starts_anew = std::ranges::any_of(states, [&](const nnef::Value& state) {
      return !is_passed_in(state.items.at(1), statements, *symbol) &&
             is_felt(body, state, statement, used);
    });
    if (is_backward || starts_anew) return symbol;
  }
  return {};
}

}  // namespace

std::vector<Reset> find_resets(const nnef::Document& document, const draft::Notes& notes) {
  std::vector<Reset> out;
  const Statements statements = statements_of(document);
  for (const nnef::Assignment& statement : document.graph.body)
    if (const auto symbol = resets_along(document, statement, statements, notes))
      out.push_back({nnef::first_name(statement.left), *symbol});
  return out;
}

}  // namespace t2n::stream
