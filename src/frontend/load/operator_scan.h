// SPDX-License-Identifier: Apache-2.0
// Scans all code in a file before any of it is executed.
#pragma once

#include <torch/csrc/jit/api/compilation_unit.h>
#include <torch/csrc/jit/ir/ir.h>

#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "src/frontend/load/source_map.h"

namespace t2n::trace {

/// A use of a forbidden operator or class.
struct ForbiddenUse {
  std::string what;      ///< "aten::save", or a class that is implemented in C++
  std::string reason;    ///< a clause
  std::string function;  ///< "__torch__.Model.forward"
  const torch::jit::Node* node = nullptr;
};

/// Scans compilation units, each function once, so that it can be called again after more code was
/// compiled. It scans every compiled function, method and hook, reachable or not, with nested
/// blocks and graphs, and all their callees.
class OperatorScan {
 public:
  /// The forbidden uses in all code that was not scanned before.
  std::vector<ForbiddenUse> run(const torch::jit::CompilationUnit& unit);
  /// Throws them as the error `denied-operator`. With `sources`, it has a location.
  void require(const torch::jit::CompilationUnit& unit, SourceMap* sources);

 private:
  void function(torch::jit::Function& function);
  void type(const c10::TypePtr& type);
  void block(torch::jit::Block* block);
  void node(torch::jit::Node* node);
  void finish();
  void refuse(const std::string& what, std::string_view reason, const torch::jit::Node* node);

  std::unordered_set<const torch::jit::Function*> seen_;
  std::unordered_set<const c10::Type*> types_;
  std::unordered_set<c10::Symbol> kinds_;  ///< allowed ones
  std::vector<torch::jit::Function*> pending_;
  std::vector<ForbiddenUse> found_;
  std::string function_;
};

/// Errors: `model-format`: the operator belongs to a CPU-specific library.
[[noreturn]] void refuse_operator_of_cpu(const std::string& name);
/// Errors: `model-format` if the code calls operators of torch.jit.optimize_for_inference.
void refuse_prepared(const std::set<std::string>& called);

}  // namespace t2n::trace
