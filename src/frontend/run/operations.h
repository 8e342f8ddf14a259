// SPDX-License-Identifier: Apache-2.0
// The program's operations, looked up once, and run through torch's dispatcher.
#pragma once

#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <functional>
#include <string>
#include <unordered_map>

#include "src/frontend/load/call.h"

namespace t2n::trace {

struct Operation {
  const torch::jit::Operator* op = nullptr;
  Run run;
  bool may_move = false;          ///< its name says that it only moves elements
  bool has_tensors = false;       ///< the schema mentions tensors
  bool ignores_elements = false;  ///< it does not read a container's elements
};

/// Independent of marks and of the recorder.
class Operations {
 public:
  /// `native_halves`: 16-bit floats are computed by torch's own kernels, not in f32.
  explicit Operations(bool native_halves) : native_halves_(native_halves) {}

  /// Errors: `denied-operator`, `unsupported-op`.
  const Operation& find(torch::jit::Node* node);
  using NameOfInput = std::function<std::string(const at::Tensor&)>;
  /// Runs the operation on plain operands. `name_of`: "" for tensors that are not inputs. Errors:
  /// `forward-failed`, `trace-limit`, `unsupported-dtype`.
  void execute(const Operation& operation, torch::jit::Stack& stack,
               const NameOfInput& name_of = {}) const;

 private:
  bool native_halves_;
  std::unordered_map<const torch::jit::Node*, Operation> known_;
};

}  // namespace t2n::trace
