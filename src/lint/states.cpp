// SPDX-License-Identifier: Apache-2.0
// Finds states of scans that the engine drops on one side only.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "src/diag/error.h"
#include "src/lint/tract_parts.h"
#include "src/nnef/needed.h"
#include "src/nnef/walk.h"

namespace t2n::spec {
namespace {

using nnef::Value;

/// Shapes in the body of a scan, of one run.
nnef::KnownSizes known_sizes(const LoopShapes& loop) {
  return {.shape = [&](const Value& tensor) -> std::optional<ir::Ints> {
            const auto found = loop.tensors.find(tensor.text);
            return found == loop.tensors.end() ? std::nullopt : std::optional(found->second);
          },
          .number = [](const Value& value) -> std::optional<int64_t> {
            return value.kind == nnef::Kind::integer ? std::optional(value.integer) : std::nullopt;
          }};
}

/// The tensors of a graph of which its results need an entry.
std::set<std::string> needed_by_results(const nnef::Document& document) {
  std::set<std::string> out(document.graph.results.begin(), document.graph.results.end());
  const auto& body = document.graph.body;
  for (auto statement = body.rbegin(); statement != body.rend(); ++statement) {
    const auto names = nnef::assigned_names(statement->left);
    if (std::any_of(names.begin(), names.end(),
                    [&](std::string_view name) { return out.contains(std::string(name)); }))
      nnef::walk(statement->right, [&](const Value& each) {
        if (each.kind == nnef::Kind::identifier) out.insert(each.text);
      });
  }
  return out;
}

/// A state that neither a next state nor a result that is read depends on; "" if there is none.
std::string unread_state(const nnef::Assignment& scan, const nnef::Fragment& body,
                         const LoopShapes& loop, const std::set<std::string>& needed) {
  const Value* const states = nnef::find_argument(scan.right, "state");
  const Value* const outputs = nnef::find_argument(scan.right, "output");
  const auto names = nnef::assigned_names(scan.left);
  if (states == nullptr || outputs == nullptr || outputs->items.size() != names.size()) return "";
  std::vector<std::string> results;
  const auto is_needed = [&](std::string_view name) { return needed.contains(std::string(name)); };
  if (std::none_of(names.begin(), names.end(), is_needed)) return "";  // the engine drops it
  for (const Value& state : states->items) results.push_back(state.items.at(2).text);
  for (size_t i = 0; i < names.size(); ++i)
    if (is_needed(names[i])) results.push_back(outputs->items[i].items.at(0).text);
  const std::set<std::string> read = nnef::needed_tensors(body.body, results, known_sizes(loop));
  for (const Value& state : states->items)
    if (!read.contains(state.items.at(0).text)) return state.items.at(0).text;
  return "";
}

}  // namespace

std::optional<TractFinding> unread_states(const nnef::Document& document,
                                          const std::vector<LoopShapes>& loops) {
  if (loops.empty()) return {};
  const nnef::FragmentTable fragments(document);
  const std::set<std::string> needed = needed_by_results(document);
  for (const nnef::Assignment& statement : document.graph.body) {
    const std::string name = nnef::first_name(statement.left);
    const auto loop = std::find_if(loops.begin(), loops.end(), [&](const LoopShapes& each) {
      return each.name == name && statement.right.text == "tract_core_scan";
    });
    const nnef::Fragment* const body = loop == loops.end() ? nullptr : fragments.find(loop->body);
    const std::string state = body == nullptr ? "" : unread_state(statement, *body, *loop, needed);
    if (!state.empty())
      return TractFinding{
          .name = name,
          .problem =
              cat(quoted(name), ": no state and no result that is read needs ", quoted(state),
                  " of ", quoted(loop->body), ", and the engine drops it on one side only"),
          .sizes = {},
          .symbols = {}};
  }
  return {};
}

}  // namespace t2n::spec
