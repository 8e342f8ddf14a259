// SPDX-License-Identifier: Apache-2.0
#include "src/extend/check_fragments.h"

#include <algorithm>
#include <array>
#include <set>
#include <unordered_map>

#include "nnef_writer/print.h"
#include "src/diag/error.h"
#include "src/diag/one_of.h"
#include "src/nnef/walk.h"
#include "src/spec/bound_call.h"
#include "src/spec/tract_grammar.h"

namespace t2n::extend {
namespace {

using nnef::Assignment;
using nnef::Fragment;
using nnef::Kind;
using nnef::Parameter;
using nnef::Value;

/// Functions of NNEF's language that are no operations.
constexpr std::array<std::string_view, 7> kFunctions = {
    "length_of", "range_of", "shape_of", "scalar", "integer", "logical", "string"};
/// Operations of graphs; a fragment has parameters instead.
constexpr std::array<std::string_view, 5> kGraphOnly = {
    "external", "tract_core_external", "variable", "update", "tract_core_submodel"};
constexpr std::array<std::string_view, 12> kTypes = {
    "tensor<scalar>",   "tensor<integer>",   "tensor<logical>",
    "tensor<scalar>[]", "tensor<integer>[]", "tensor<logical>[]",
    "scalar",           "integer",           "logical",
    "string",           "scalar[]",          "integer[]"};

std::string statement_text(const Assignment& statement) {
  constexpr size_t kLongest = 100;
  std::string out = cat(nnef::print(statement.left), " = ", nnef::print(statement.right), ";");
  if (out.size() > kLongest) out = out.substr(0, kLongest) + "…";
  return out;
}

class Checker {
 public:
  explicit Checker(const Extensions& extensions) : extensions_(extensions) {
    for (const Fragment& each : extensions.fragments)
      if (!fragments_.emplace(each.name, &each).second)
        refuse(each, "is defined twice", {}, "remove or rename one of the two");
  }

  void run() {
    for (const Fragment& each : extensions_.fragments) {
      name(each);
      body(each);
    }
    for (const Fragment& each : extensions_.fragments) follow(each);
    for (const OwnOperator& each : extensions_.operators) {
      if (each.plugin != nullptr) continue;
      signature(*fragments_.at(each.fragment.name));
      used_.insert(each.fragment.name);
    }
    plugin_fragments();
    for (const Fragment& each : extensions_.fragments)
      if (!used_.contains(each.name))
        refuse(each, "stands for nothing",
               "its name is no operator's, --module-op does not name it, and no fragment calls it",
               "name it after the operator, with __ for ::, as in mine__swish for mine::swish; or "
               "bind it to modules: --module-op 'blocks.*.norm=" +
                   each.name + "'");
  }

 private:
  [[noreturn]] void refuse(const Fragment& fragment, const std::string& what, std::string why,
                           std::string help = {}) const {
    const size_t index = &fragment - extensions_.fragments.data();
    throw Error(
        "fragment-invalid",
        cat("the fragment ", quoted(fragment.name), " of ", extensions_.files.at(index), " ", what),
        std::move(why), std::move(help));
  }
  [[noreturn]] void refuse(const Fragment& fragment, const Assignment& statement, std::string why,
                           std::string help = {}) const {
    refuse(fragment, cat("is wrong in `", statement_text(statement), "`"), std::move(why),
           std::move(help));
  }

  void name(const Fragment& fragment) const {
    const bool is_known = spec::find_operation(fragment.name, spec::Dialect::khronos) != nullptr ||
                          spec::find_operation(fragment.name, spec::Dialect::tract) != nullptr ||
                          is_one_of(fragment.name, kFunctions);
    if (is_known || fragment.name.starts_with("tract_") || fragment.name.starts_with("t2n_"))
      refuse(fragment, "has the name of an operation",
             is_known ? "NNEF or tract has it, and other statements of the file may call it"
                      : "names that begin with tract_ and t2n_ are reserved",
             "choose another name");
    if (!fragment.generic.empty())
      refuse(fragment, "is generic", "its parameters have no fixed types", "write out the types");
    if (fragment.body.empty())
      refuse(fragment, "has no body", "it is a declaration only", "add the statements: { y = …; }");
  }

  /// A plugin may name each of its own that no other one calls.
  void plugin_fragments() {
    for (size_t i = 0; i < extensions_.fragments.size(); ++i) {
      const Fragment& each = extensions_.fragments[i];
      const auto& plugins = extensions_.plugins;
      if (used_.contains(each.name) || std::ranges::count(plugins, extensions_.files[i]) == 0)
        continue;
      signature(each);
      used_.insert(each.name);
    }
  }

  /// Names and calls of every statement.
  void body(const Fragment& fragment) const {
    std::set<std::string, std::less<>> names;
    for (const Parameter& each : fragment.parameters) names.insert(each.name);
    for (const Assignment& statement : fragment.body) {
      std::set<std::string, std::less<>> visible = names;
      nnef::walk(statement.right, [&](const Value& part) {
        for (const nnef::Loop& loop : part.loops) visible.insert(loop.variable);
      });
      nnef::walk(statement.right, [&](const Value& part) {
        expression(fragment, statement, part);
        if (part.kind == Kind::identifier && !visible.contains(part.text) && part.text != "inf" &&
            part.text != "nan")
          refuse(fragment, statement, cat(quoted(part.text), " is not defined before it"));
      });
      for (const std::string_view each : nnef::assigned_names(statement.left))
        if (!names.emplace(each).second)
          refuse(fragment, statement, cat(quoted(each), " is already defined"));
    }
    for (const Parameter& each : fragment.results)
      if (!names.contains(each.name))
        refuse(fragment, cat("never assigns its result ", quoted(each.name)), {});
  }

  void expression(const Fragment& fragment, const Assignment& statement, const Value& part) const {
    if (extensions_.dialect == spec::Dialect::tract && !spec::tract_executes(part))
      refuse(fragment, statement, cat("tract cannot execute `", nnef::print(part), "`"),
             "write it with operations, without if, loops over lists and signs before tensors");
    if (part.kind != Kind::invocation || is_one_of(part.text, kFunctions)) return;
    if (is_one_of(part.text, kGraphOnly))
      refuse(fragment, statement, cat(quoted(part.text), " belongs in a graph, not in a fragment"),
             "make it a parameter");
    try {
      const auto own = fragments_.find(part.text);
      spec::BoundCall(
          own != fragments_.end() ? *own->second : spec::operation(part.text, extensions_.dialect),
          part);
    } catch (const Error& error) {
      const bool is_tracts = spec::find_operation(part.text, spec::Dialect::tract) != nullptr;
      refuse(fragment, statement, error.diagnostic().message,
             is_tracts && extensions_.dialect == spec::Dialect::khronos
                 ? "for strict NNEF, give a file that calls operations of the standard only"
                 : error.diagnostic().help);
    }
  }

  /// Notes the fragments that it calls, and refuses recursion.
  void follow(const Fragment& fragment) {
    if (followed_.contains(fragment.name)) return;
    if (!open_.insert(fragment.name).second)
      refuse(fragment, "calls itself", "it would never end, directly or through another fragment");
    for (const Assignment& statement : fragment.body)
      nnef::walk(statement.right, [&](const Value& part) {
        // tract_core_scan names its body in a string.
        if (part.kind != Kind::invocation && part.kind != Kind::string) return;
        const auto callee = fragments_.find(part.text);
        if (callee == fragments_.end()) return;
        used_.insert(part.text);
        follow(*callee->second);
      });
    open_.erase(fragment.name);
    followed_.insert(fragment.name);
  }

  /// Of a fragment that stands for an operator or a module.
  void signature(const Fragment& fragment) const {
    bool may_be_tensor = true;
    for (const Parameter& each : fragment.parameters) {
      if (!is_one_of(each.type, kTypes))
        refuse(
            fragment, cat("has a parameter ", quoted(each.name), " of the type ", each.type),
            cat("an operator's parameters are of ", joined({kTypes.begin(), kTypes.end()}, ", ")));
      if (is_tensor(each) && !may_be_tensor)
        refuse(fragment,
               cat("has the tensor ", quoted(each.name), " after a parameter without one"),
               "tensors come first, as in NNEF's own operations", "change the order");
      if (is_tensor_list(each) && each.default_value)
        refuse(fragment, cat("has a default for the list of tensors ", quoted(each.name)),
               "a call passes each list, which may be empty", "leave it out");
      may_be_tensor = is_tensor(each);
    }
    if (fragment.parameters.empty() || !is_tensor(fragment.parameters.front()))
      refuse(fragment, "has no tensor among its parameters", {});
    for (const Parameter& each : fragment.results)
      if (!is_tensor(each) || is_tensor_list(each) || !is_one_of(each.type, kTypes))
        refuse(fragment, cat("has a result ", quoted(each.name), " of the type ", each.type),
               "an operator's results are tensors");
  }

  const Extensions& extensions_;
  std::unordered_map<std::string_view, const Fragment*> fragments_;
  std::set<std::string, std::less<>> used_;
  std::set<std::string> open_, followed_;
};

}  // namespace

void check_fragments(const Extensions& extensions) { Checker(extensions).run(); }

}  // namespace t2n::extend
