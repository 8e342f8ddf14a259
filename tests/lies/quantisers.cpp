// SPDX-License-Identifier: Apache-2.0
// Files that quantise in another way: another scale, zero point, rounding or limit.
#include <array>
#include <cmath>

#include "src/diag/error.h"
#include "tests/lies/lies.h"

namespace t2n::test {
namespace {

using nnef::Kind;
using nnef::Value;

/// The first number in a value, however deep, that `change` changes.
bool change_number(Value& value, const std::function<bool(double& number)>& change) {
  if (value.kind == Kind::scalar && std::isfinite(value.number) && value.number != 0)
    return change(value.number);
  for (Value& item : value.items)
    if (change_number(item, change)) return true;
  for (nnef::Argument& argument : value.arguments)
    if (change_number(argument.value, change)) return true;
  return false;
}

/// The first call of a name in a value, however deep.
Value* find_call(Value& value, std::string_view name) {
  if (value.kind == Kind::invocation && value.text == name) return &value;
  for (Value& item : value.items)
    if (Value* found = find_call(item, name)) return found;
  for (nnef::Argument& argument : value.arguments)
    if (Value* found = find_call(argument.value, name)) return found;
  return nullptr;
}

std::string with_number(nnef::Assignment& statement,
                        const std::function<double(double number)>& other) {
  std::string out;
  if (statement.right.kind == Kind::invocation)
    change_number(statement.right, [&](double& number) {
      const double changed = other(number);
      if (changed == number) return false;
      out = cat(statement.left.text, ": ", changed, " for ", number);
      number = changed;
      return true;
    });
  return out;
}

constexpr const char* kRounding = "tract_core_round_even";

bool rounds(const nnef::Document& document) {
  const auto in = [](const std::vector<nnef::Assignment>& body) {
    for (nnef::Assignment each : body)
      if (find_call(each.right, kRounding) != nullptr) return true;
    return false;
  };
  if (in(document.graph.body)) return true;
  for (const nnef::Fragment& fragment : document.fragments)
    if (in(fragment.body)) return true;
  return false;
}

/// A limit that never holds.
std::string without_bound(nnef::Assignment& statement, const char* name, double never) {
  Value* const found = find_call(statement.right, name);
  if (found == nullptr || found->arguments.size() != 2 ||
      found->arguments[1].value.kind != Kind::scalar)
    return {};
  found->arguments[1].value.number = never;
  return cat(statement.left.text, ": ", name);
}

}  // namespace

void lie_of_quantisers(const Truth& truth, Lies& out) {
  if (!rounds(truth.document)) return;
  lie_per_statement(truth, "other-scale", out, [](nnef::Assignment& statement) {
    return with_number(statement, [](double number) {
      constexpr double kWrong = 1.01;
      return number == std::nearbyint(number) ? number : number * kWrong;
    });
  });
  lie_per_statement(truth, "whole-number-off", out, [](nnef::Assignment& statement) {
    return with_number(statement, [](double number) {
      constexpr double kMost = 255;
      const bool is_code = number == std::nearbyint(number) && std::abs(number) <= kMost;
      return is_code ? number + (number > 0 ? -1 : 1) : number;
    });
  });
  for (const char* other : {"floor", "round"})
    lie_per_statement(truth, "other-rounding", out, [&](nnef::Assignment& statement) {
      Value* const found = find_call(statement.right, kRounding);
      if (found == nullptr) return std::string();
      found->text = other;
      return cat(statement.left.text, ": ", other);
    });
  constexpr double kNever = 1e30;
  lie_per_statement(truth, "limit-dropped", out, [](nnef::Assignment& statement) {
    const std::string above = without_bound(statement, "min", kNever);
    return above.empty() ? without_bound(statement, "max", -kNever) : above;
  });
}

}  // namespace t2n::test
