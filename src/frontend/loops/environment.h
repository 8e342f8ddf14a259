// SPDX-License-Identifier: Apache-2.0
// The variables of a running function.
#pragma once

#include <torch/csrc/jit/ir/ir.h>

#include <functional>
#include <unordered_map>
#include <vector>

#include "src/frontend/numbers/decisions.h"

namespace t2n::trace {

using Values = std::vector<c10::IValue>;

class Environment {
 public:
  explicit Environment(const Decisions& decisions) : decisions_(decisions) {}

  c10::IValue& operator[](const torch::jit::Value* variable) { return values_[variable]; }
  const c10::IValue& at(const torch::jit::Value* variable) const;
  /// The values of several variables, adjusted for the branches that are taken in all runs.
  Values all(at::ArrayRef<torch::jit::Value*> variables) const;
  /// Takes the results of a block. Only the node around it reads them.
  Values take_results(torch::jit::Block* block);
  /// Sets those outputs of a node that are used. Errors: `forward-failed` for another number.
  void set_outputs(torch::jit::Node* node, Values values);
  void erase(const std::vector<const torch::jit::Value*>& variables);

 private:
  const Decisions& decisions_;
  std::unordered_map<const torch::jit::Value*, c10::IValue> values_;
};

/// Runs a block of the program.
using RunBlock = std::function<void(torch::jit::Block*, Environment&)>;

}  // namespace t2n::trace
