// SPDX-License-Identifier: Apache-2.0
// Runs the statements of a document on values of any kind, through the fragments that they call.
#pragma once

#include <memory>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/nnef/walk.h"

namespace t2n::spec {

/// `V` is what is known of a name. `Self` derives from it and has
/// - `call(invocation, scope)`: the results of an operation;
/// - `other(expression, scope)`: those of a name, or of an expression that no operation stands for;
/// - `enter(fragment, invocation, scope)`: the scope of a fragment's body, with its parameters;
/// - `fit(results, count)`: makes as many results as a statement has names.
template <typename Self, typename V>
class DocumentWalk {
 public:
  using Scope = std::unordered_map<std::string_view, V>;
  using Results = std::vector<V>;

 protected:
  explicit DocumentWalk(const nnef::Document& document) : fragments_(document) {}

  const nnef::Fragment* fragment(std::string_view name) const {
    return fragments_.find_defined(name);
  }

  Results results_of(const nnef::Value& value, Scope& scope) {
    if (value.kind == nnef::Kind::binary && !nnef::operation_of(value.text).empty())
      return results_of(invocation_of(value), scope);
    if (value.kind != nnef::Kind::invocation) return self().other(value, scope);
    const nnef::Fragment* const callee = fragment(value.text);
    if (callee == nullptr) return self().call(value, scope);
    Scope inner = self().enter(*callee, value, scope);
    return run_body(*callee, inner);
  }

  /// A fragment's results; none if calls are nested too deeply.
  Results run_body(const nnef::Fragment& callee, Scope& scope) {
    constexpr int kDeepest = 100;
    if (depth_ == kDeepest) return {};
    const Nesting nesting(depth_);
    for (const nnef::Assignment& statement : callee.body)
      assign(statement.left, results_of(statement.right, scope), scope);
    Results out;
    for (const nnef::Parameter& result : callee.results) out.push_back(scope[result.name]);
    return out;
  }

  static void assign(const nnef::Value& left, Results results, Scope& scope) {
    const auto names = nnef::assigned_names(left);
    Self::fit(results, names.size());
    for (size_t i = 0; i < names.size(); ++i) scope[names[i]] = std::move(results[i]);
  }

  bool is_in_fragment() const { return depth_ > 0; }

 private:
  class Nesting {
   public:
    explicit Nesting(int& depth) : depth_(depth) { ++depth_; }
    ~Nesting() { --depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    int& depth_;
  };

  Self& self() { return static_cast<Self&>(*this); }

  /// The call that an operator stands for, made once.
  const nnef::Value& invocation_of(const nnef::Value& binary) {
    auto& out = operators_[&binary];
    if (!out)
      out = std::make_unique<nnef::Value>(
          nnef::invocation(std::string(nnef::operation_of(binary.text)),
                           {{"", binary.items[0]}, {"", binary.items[1]}}));
    return *out;
  }

  nnef::FragmentTable fragments_;
  std::unordered_map<const nnef::Value*, std::unique_ptr<nnef::Value>> operators_;
  int depth_ = 0;
};

}  // namespace t2n::spec
