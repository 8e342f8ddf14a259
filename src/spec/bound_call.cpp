// SPDX-License-Identifier: Apache-2.0
// Binds arguments to parameters.
#include "src/spec/bound_call.h"

#include <algorithm>

#include "src/diag/error.h"
#include "src/spec/operations.h"

namespace t2n::spec {
namespace {

using nnef::Fragment;
using nnef::Kind;
using nnef::Parameter;
using nnef::Value;

std::string called(const Value& invocation) { return cat("'", invocation.text, "'"); }

std::vector<std::string> names(const std::vector<Parameter>& parameters) {
  std::vector<std::string> out;
  for (const Parameter& parameter : parameters) out.push_back(parameter.name);
  return out;
}

size_t index_of(const Fragment& declaration, std::string_view name) {
  const auto& parameters = declaration.parameters;
  const auto found = std::find_if(parameters.begin(), parameters.end(),
                                  [&](const Parameter& p) { return p.name == name; });
  return found - parameters.begin();
}

[[noreturn]] void refuse_name(const Fragment& declaration, const Value& invocation,
                              const std::string& name) {
  const std::string near = nearest(name, names(declaration.parameters));
  refuse_invalid(cat(called(invocation), " has no parameter ", quoted(name)),
                 near.empty() ? "" : cat("did you mean ", quoted(near), "?"));
}

/// The parameter of an argument at `position`.
size_t target(const Fragment& declaration, const Value& invocation, size_t position) {
  const std::string& name = invocation.arguments[position].name;
  const size_t count = declaration.parameters.size();
  if (!name.empty()) {
    const size_t index = index_of(declaration, name);
    if (index == count) refuse_name(declaration, invocation, name);
    return index;
  }
  if (position >= count)
    refuse_invalid(cat(called(invocation), " takes ", count,
                       count == 1 ? " argument" : " arguments", ", and ",
                       invocation.arguments.size(), " are given"));
  if (position > 0 && !invocation.arguments[position - 1].name.empty())
    refuse_invalid(cat(called(invocation), ": a positional argument follows ",
                       quoted(invocation.arguments[position - 1].name)));
  return position;
}

bool is_false(const Value& value) { return value.kind == Kind::logical && !value.logical; }

const Value* default_of(const Parameter& parameter, const Value& invocation) {
  if (!parameter.default_value)
    refuse_invalid(
        cat(called(invocation), ": the argument ", quoted(parameter.name), " is missing"));
  return &*parameter.default_value;
}

Arguments bind(const Fragment& declaration, const Value& invocation) {
  Arguments out(declaration.parameters.size(), nullptr);
  for (size_t i = 0; i < invocation.arguments.size(); ++i) {
    const size_t index = target(declaration, invocation, i);
    if (out[index] != nullptr)
      refuse_invalid(cat(called(invocation), ": the argument ",
                         quoted(declaration.parameters[index].name), " is given twice"));
    out[index] = &invocation.arguments[i].value;
  }
  for (size_t i = 0; i < out.size(); ++i) {
    const Parameter& parameter = declaration.parameters[i];
    if (out[i] == nullptr) out[i] = default_of(parameter, invocation);
    if (may_be_absent(parameter) && is_false(*out[i])) out[i] = nullptr;
  }
  return out;
}

}  // namespace

bool may_be_absent(const Parameter& parameter) {
  return parameter.default_value && is_false(*parameter.default_value) &&
         parameter.type.find("logical") == std::string::npos;
}

size_t parameter_index(const Fragment& declaration, std::string_view name) {
  const size_t out = index_of(declaration, name);
  T2N_ASSERT(out < declaration.parameters.size(), declaration.name, " has no parameter ", name);
  return out;
}

BoundCall::BoundCall(const Fragment& declaration, const Value& invocation)
    : BoundCall(declaration, bind(declaration, invocation)) {}

const Value& BoundCall::value(std::string_view parameter) const {
  const Value* const found = find(parameter);
  T2N_ASSERT(found != nullptr, operation(), " lacks ", parameter);
  return *found;
}

Ints BoundCall::ints(std::string_view parameter) const { return ints_of(value(parameter)); }
Pairs BoundCall::pairs(std::string_view parameter) const { return pairs_of(value(parameter)); }

Ints ints_of(const Value& list) {
  Ints out;
  for (const Value& item : list.items) out.push_back(item.integer);
  return out;
}

Pairs pairs_of(const Value& list) {
  Pairs out;
  for (const Value& pair : list.items)
    out.emplace_back(pair.items.at(0).integer, pair.items.at(1).integer);
  return out;
}

}  // namespace t2n::spec
