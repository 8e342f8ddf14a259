// SPDX-License-Identifier: Apache-2.0
#include "src/extend/flatten.h"

#include <cmath>
#include <map>
#include <utility>

#include "nnef_writer/print.h"
#include "src/diag/error.h"
#include "src/nnef/names.h"
#include "src/nnef/walk.h"
#include "src/spec/bound_call.h"

namespace t2n::extend {
namespace {

using nnef::Assignment;
using nnef::Fragment;
using nnef::Kind;
using nnef::Value;

bool is_number(const Value& value) {
  return value.kind == Kind::integer || value.kind == Kind::scalar;
}
double number(const Value& value) {
  return value.kind == Kind::integer ? static_cast<double>(value.integer) : value.number;
}

class Flattener {
 public:
  explicit Flattener(const nnef::Document& source) : source_(source), fragments_(source) {
    for (const Assignment& statement : source.graph.body)
      for (const std::string_view name : nnef::assigned_names(statement.left)) names_.reserve(name);
  }

  std::vector<Assignment> run() {
    for (const Assignment& statement : source_.graph.body) {
      const Fragment* const callee = fragments_.find(statement.right.text);
      if (statement.right.kind != Kind::invocation || callee == nullptr) {
        out_.push_back(statement);
        continue;
      }
      const auto names = nnef::assigned_names(statement.left);
      expand(*callee, statement.right, {names.begin(), names.end()}, {});
    }
    return std::move(out_);
  }

 private:
  /// What the names of a body are in the document: names of tensors, and literals.
  using Scope = std::map<std::string, Value, std::less<>>;

  /// Appends the statements of a body, whose results get these names.
  void expand(const Fragment& callee, const Value& call, const std::vector<std::string>& names,
              const Scope& outer) {
    const spec::BoundCall bound(callee, call);
    Scope scope;
    for (size_t i = 0; i < callee.parameters.size(); ++i)
      if (const Value* const argument = bound.arguments()[i])
        scope[callee.parameters[i].name] = simple(*argument, outer, names[0]);
    std::map<std::string, std::string, std::less<>> result_names;
    for (size_t i = 0; i < names.size(); ++i) result_names[callee.results.at(i).name] = names[i];
    for (const Assignment& statement : callee.body) {
      std::vector<std::string> targets;
      for (const std::string_view local : nnef::assigned_names(statement.left)) {
        const auto result = result_names.find(local);
        targets.push_back(result != result_names.end() ? result->second
                                                       : names_.claim(cat(names[0], "_", local)));
      }
      assign(targets, statement, scope);
      size_t i = 0;
      for (const std::string_view local : nnef::assigned_names(statement.left))
        scope[std::string(local)] = nnef::identifier(targets[i++]);
    }
  }

  void assign(const std::vector<std::string>& targets, const Assignment& statement,
              const Scope& scope) {
    const Value& right = statement.right;
    if (right.kind == Kind::invocation)
      if (const Fragment* const callee = fragments_.find(right.text))
        return expand(*callee, right, targets, scope);
    Value value = right.kind == Kind::invocation || right.kind == Kind::binary
                      ? called(right, scope, targets[0])
                      : simple(right, scope, targets[0]);
    if (value.kind != Kind::invocation) value = nnef::invocation("copy", {{"", std::move(value)}});
    nnef::Values names;
    for (const std::string& each : targets) names.push_back(nnef::identifier(each));
    Value left = statement.left;
    if (left.kind == Kind::identifier)
      left = names[0];
    else
      left.items = std::move(names);
    out_.push_back({std::move(left), std::move(value), {}});
  }

  /// A call whose arguments are names and literals; a literal for an operator between numbers.
  Value called(const Value& value, const Scope& scope, const std::string& target) {
    if (value.kind == Kind::binary) {
      Value left = simple(value.items[0], scope, target);
      Value right = simple(value.items[1], scope, target);
      if (is_number(left) && is_number(right)) return computed(value, left, right);
      const std::string_view operation = nnef::operation_of(value.text);
      if (operation.empty()) refuse(value);
      return nnef::invocation(std::string(operation), {{"", left}, {"", right}});
    }
    Value out = value;
    for (nnef::Argument& argument : out.arguments)
      argument.value = simple(argument.value, scope, target);
    return out;
  }

  /// A name, a literal, or a list of these; calls become statements before it.
  Value simple(const Value& value, const Scope& scope, const std::string& target) {
    switch (value.kind) {
      case Kind::identifier: {
        const auto found = scope.find(value.text);
        return found == scope.end() ? value : found->second;
      }
      case Kind::array:
      case Kind::tuple: {
        Value out = value;
        for (Value& item : out.items) item = simple(item, scope, target);
        return out;
      }
      case Kind::unary: return negated(value, scope, target);
      case Kind::binary:
      case Kind::invocation: return intermediate(value, scope, target);
      case Kind::integer:
      case Kind::scalar:
      case Kind::logical:
      case Kind::string:
      case Kind::dimension:
      case Kind::reference:
      case Kind::none: return value;
      case Kind::if_else:
      case Kind::subscript:
      case Kind::comprehension: break;
    }
    refuse(value);
  }

  Value negated(const Value& value, const Scope& scope, const std::string& target) {
    Value operand = simple(value.items[0], scope, target);
    if (value.text != "-") refuse(value);
    if (!is_number(operand)) {
      const std::string name = names_.claim(cat(target, "_neg"));
      out_.push_back({nnef::identifier(name), nnef::invocation("neg", {{"", operand}}), {}});
      return nnef::identifier(name);
    }
    operand.integer = -operand.integer;
    operand.number = -operand.number;
    return operand;
  }

  Value intermediate(const Value& value, const Scope& scope, const std::string& target) {
    const Fragment* const callee =
        value.kind == Kind::invocation ? fragments_.find(value.text) : nullptr;
    const std::string hint(value.kind == Kind::invocation ? value.text
                                                          : nnef::operation_of(value.text));
    if (callee != nullptr) {
      const std::string name = names_.claim(cat(target, "_", hint));
      expand(*callee, value, {name}, scope);
      return nnef::identifier(name);
    }
    Value call = called(value, scope, target);
    if (call.kind != Kind::invocation) return call;
    const std::string name = names_.claim(cat(target, "_", hint));
    out_.push_back({nnef::identifier(name), std::move(call), {}});
    return nnef::identifier(name);
  }

  /// An operator between two numbers; integers stay integers.
  static Value computed(const Value& value, const Value& left, const Value& right) {
    const double a = number(left), b = number(right);
    const std::string& sign = value.text;
    const double out = sign == "+"   ? a + b
                       : sign == "-" ? a - b
                       : sign == "*" ? a * b
                       : sign == "/" ? a / b
                       : sign == "^" ? std::pow(a, b)
                                     : std::nan("");
    if (!std::isfinite(out)) refuse(value);
    const bool are_integers = left.kind == Kind::integer && right.kind == Kind::integer;
    if (!are_integers) return nnef::scalar(out);
    return nnef::integer(static_cast<int64_t>(std::trunc(out)));
  }

  [[noreturn]] static void refuse(const Value& value) {
    throw Error("fragment-invalid",
                cat("a fragment contains `", nnef::print(value), "`, which strict NNEF cannot"),
                "strict NNEF is flat: a graph consists of calls with names and literals",
                "write the expression with operations");
  }

  const nnef::Document& source_;
  nnef::FragmentTable fragments_;
  nnef::UniqueNames names_;
  std::vector<Assignment> out_;
};

}  // namespace

nnef::Document flattened(nnef::Document document, const std::vector<nnef::Fragment>& fragments) {
  if (fragments.empty()) return document;
  document.fragments = fragments;
  document.graph.body = Flattener(document).run();
  document.fragments.clear();
  return document;
}

}  // namespace t2n::extend
