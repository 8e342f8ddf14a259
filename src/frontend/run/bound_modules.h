// SPDX-License-Identifier: Apache-2.0
// Modules whose calls become one operation of a user's fragment (--module-op).
#pragma once

#include <torch/csrc/jit/api/module.h>

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/extend/own_fragments.h"
#include "src/frontend/run/operations.h"

namespace t2n::trace {

/// A call of a bound module in the form of an operation, with the results that the module gave.
struct BoundCall {
  Operation operation;
  torch::jit::Stack operands;
  bool is_tuple = false;
};

class BoundModules {
 public:
  /// Runs a method of a module on arguments that it may write to, without recording it. Errors:
  /// `fragment-signature` if it changes its own state.
  using RunMethod = std::function<c10::IValue(const std::string& method,
                                              const std::vector<c10::IValue>& arguments)>;

  /// Errors: `usage` for a glob without a module, and for two globs with the same.
  BoundModules(const torch::jit::Module& model, RunMethod run);

  /// Whether a fragment stands for the method: forward, or forward1, … of a trace.
  bool contains(const c10::ivalue::Object& object, const std::string& method) const;
  /// `arguments`: of the method, beginning with the module. `plain`: the same without marks.
  /// Errors: `fragment-signature` if the module does not fit.
  BoundCall call(const std::string& method, const std::vector<c10::IValue>& arguments,
                 const std::vector<c10::IValue>& plain);
  /// Refuses a glob of which no module was called. Errors: `usage`.
  void require_called() const;

 private:
  struct Bound {
    std::string path;
    std::string glob;
    const extend::OwnOperator* own = nullptr;
    bool is_called = false;
  };
  std::unordered_map<const c10::ivalue::Object*, Bound> bound_;
  RunMethod run_;
};

}  // namespace t2n::trace
