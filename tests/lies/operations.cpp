// SPDX-License-Identifier: Apache-2.0
// Files that compute with another operation, another number, or another part of a tensor.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <set>

#include "src/diag/error.h"
#include "tests/lies/lies.h"

namespace t2n::test {
namespace {

using nnef::Kind;
using nnef::Value;

/// Calls `visit` for each statement's own invocation in the graph and in fragments.
void for_each_statement(nnef::Document& document,
                        const std::function<void(nnef::Assignment& statement)>& visit) {
  for (nnef::Assignment& each : document.graph.body) visit(each);
  for (nnef::Fragment& fragment : document.fragments)
    for (nnef::Assignment& each : fragment.body) visit(each);
}

bool is_call(const Value& value, std::string_view name) {
  return value.kind == Kind::invocation && value.text == name;
}

nnef::Argument* argument(Value& invocation, std::string_view name) {
  for (nnef::Argument& each : invocation.arguments)
    if (each.name == name) return &each;
  return nullptr;
}

std::string renamed(nnef::Assignment& statement, std::string_view from, const char* to) {
  if (!is_call(statement.right, from)) return {};
  statement.right.text = to;
  return cat(statement.left.text, ": ", to, " for ", from);
}

void lie_of_names(const Truth& truth, Lies& out) {
  struct Row {
    const char* kind;
    const char* from;
    const char* to;
  };
  constexpr std::array<Row, 12> kRows = {{{"floor-for-trunc", "floor", "round"},
                                          {"floor-for-trunc", "round", "floor"},
                                          {"floor-for-trunc", "ceil", "floor"},
                                          {"other-operation", "add", "sub"},
                                          {"other-operation", "max", "min"},
                                          {"other-operation", "sigmoid", "tanh"},
                                          {"other-operation", "sin", "cos"},
                                          {"other-operation", "max_reduce", "mean_reduce"},
                                          {"other-comparison", "lt", "le"},
                                          {"other-comparison", "gt", "ge"},
                                          {"other-comparison", "le", "lt"},
                                          {"other-comparison", "ge", "gt"}}};
  for (const Row& row : kRows)
    lie_per_statement(truth, row.kind, out, [&](nnef::Assignment& statement) {
      return renamed(statement, row.from, row.to);
    });
}

std::string limited_relu(nnef::Assignment& statement) {
  if (!is_call(statement.right, "relu")) return {};
  constexpr double kLimit = 6;
  statement.right = call("min", {statement.right, nnef::scalar(kLimit)});
  return statement.left.text;
}

/// A limit from above that never holds.
std::string without_limit(nnef::Assignment& statement) {
  Value& value = statement.right;
  if (!is_call(value, "min") || value.arguments.size() != 2 ||
      value.arguments[1].value.kind != Kind::scalar)
    return {};
  constexpr double kNever = 1e30;
  value.arguments[1].value.number = kNever;
  return statement.left.text;
}

/// A mask that is added to what a softmax takes, or to what is fused with one.
void lie_of_added_masks(const Truth& truth, Lies& out) {
  std::set<std::string> before;
  for (const nnef::Assignment& each : truth.document.graph.body)
    if (is_call(each.right, "softmax") && !each.right.arguments.empty())
      before.insert(each.right.arguments[0].value.text);
  lie_per_statement(truth, "mask-dropped", out, [&](nnef::Assignment& statement) -> std::string {
    Value& value = statement.right;
    if (is_call(value, "tract_transformers_sdpa") && value.arguments.size() > 3 &&
        value.arguments[3].name.empty() && value.arguments[3].value.kind == Kind::identifier) {
      value.arguments[3].value = call("mul", {value.arguments[3].value, nnef::scalar(0)});
      return statement.left.text;
    }
    if (!is_call(value, "add") || !before.contains(statement.left.text)) return {};
    value.arguments[1].value = call("mul", {value.arguments[1].value, nnef::scalar(0)});
    return statement.left.text;
  });
}

/// The mask of a selection.
std::string without_mask(nnef::Assignment& statement) {
  Value& value = statement.right;
  if (!is_call(value, "select") || value.arguments.size() != 3) return {};
  for (const size_t kept : {size_t{1}, size_t{2}})
    if (value.arguments[kept].value.kind == Kind::identifier) {
      value.arguments[0].value = nnef::logical(kept == 1);
      return statement.left.text;
    }
  return {};
}

/// Begins and ends one later, or one earlier, where the file says both.
std::string shifted_slice(nnef::Assignment& statement) {
  Value& value = statement.right;
  if (!is_call(value, "slice")) return {};
  nnef::Argument* begin = argument(value, "begin");
  nnef::Argument* end = argument(value, "end");
  if (begin == nullptr || end == nullptr) return {};
  for (size_t i = 0; i < begin->value.items.size(); ++i) {
    Value& from = begin->value.items[i];
    Value& to = end->value.items[i];
    if (from.kind != Kind::integer || to.kind != Kind::integer || from.integer < 1 ||
        to.integer <= from.integer)
      continue;
    --from.integer;
    --to.integer;
    return statement.left.text;
  }
  return {};
}

/// A literal of the graph, a tenth larger; what keeps a quotient finite a hundred times.
std::string other_number(nnef::Assignment& statement) {
  if (statement.right.kind != Kind::invocation) return {};
  for (nnef::Argument& each : statement.right.arguments)
    if (each.value.kind == Kind::scalar && each.value.number != 0 &&
        std::isfinite(each.value.number)) {
      const double before = each.value.number;
      constexpr double kTiny = 1e-3;
      each.value.number = before * (std::abs(before) < kTiny ? 100 : 1.1);
      return cat(statement.left.text, ": ", each.value.number, " for ", before);
    }
  return {};
}

std::string other_axis(nnef::Assignment& statement) {
  if (!is_call(statement.right, "softmax")) return {};
  nnef::Argument* axes = argument(statement.right, "axes");
  if (axes == nullptr || axes->value.items.size() != 1 ||
      axes->value.items[0].kind != Kind::integer || axes->value.items[0].integer < 1)
    return {};
  --axes->value.items[0].integer;
  return statement.left.text;
}

/// Replaces the first open size that stands in a value.
bool bake(Value& value, const ir::Sizes& sizes) {
  if (value.kind == Kind::dimension && !value.dim.is_constant()) {
    const ir::Dim baked = value.dim.substitute(sizes);
    if (!baked.is_constant()) return false;
    value = nnef::integer(baked.value());
    return true;
  }
  if (value.kind == Kind::identifier)
    for (const auto& [symbol, size] : sizes)
      if (symbol.str() == value.text) {
        value = nnef::integer(size);
        return true;
      }
  return std::any_of(value.items.begin(), value.items.end(),
                     [&](Value& item) { return bake(item, sizes); }) ||
         std::any_of(value.arguments.begin(), value.arguments.end(),
                     [&](nnef::Argument& each) { return bake(each.value, sizes); });
}

}  // namespace

void lie_per_statement(const Truth& truth, const char* kind, Lies& out,
                       const ChangeStatement& change) {
  size_t count = 0;
  nnef::Document probe = truth.document;
  for_each_statement(probe, [&](nnef::Assignment&) { ++count; });
  std::vector<size_t> places;
  size_t at = 0;
  for_each_statement(probe, [&](nnef::Assignment& statement) {
    if (!change(statement).empty()) places.push_back(at);
    ++at;
  });
  // A document per lie is large: a few spread over the file are enough.
  constexpr size_t kMost = 12;
  const size_t step = (places.size() + kMost - 1) / kMost;
  for (size_t k = 0; k < places.size(); k += std::max<size_t>(step, 1)) {
    Lie lie{kind, {}, truth.document};
    size_t now = 0;
    for_each_statement(lie.document, [&](nnef::Assignment& statement) {
      if (now++ == places[k]) lie.what = change(statement);
    });
    out.push_back(std::move(lie));
  }
}

void lie_of_operations(const Truth& truth, Lies& out) {
  lie_of_names(truth, out);
  lie_per_statement(truth, "relu6-for-relu", out, limited_relu);
  lie_per_statement(truth, "relu-for-relu6", out, without_limit);
  lie_of_added_masks(truth, out);
  lie_per_statement(truth, "mask-dropped", out, without_mask);
  lie_per_statement(truth, "slice-off-by-one", out, shifted_slice);
  lie_per_statement(truth, "other-number", out, other_number);
  lie_per_statement(truth, "other-axis", out, other_axis);
  if (!truth.sizes.empty())
    lie_per_statement(truth, "size-baked", out, [&](nnef::Assignment& statement) -> std::string {
      if (statement.right.text.ends_with("external") || !bake(statement.right, truth.sizes))
        return {};
      return statement.left.text;
    });
}

}  // namespace t2n::test
