// SPDX-License-Identifier: Apache-2.0
// Runs the jit graphs of a model, node by node, on real tensors.
#pragma once

#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>

#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/frontend/loops/loops.h"
#include "src/frontend/run/bound_modules.h"
#include "src/frontend/run/fused_attention.h"
#include "src/frontend/run/liveness.h"
#include "src/frontend/run/scalars.h"
#include "src/frontend/run/surveyor.h"
#include "src/frontend/run/tensor_operations.h"

namespace t2n::trace {

/// One run of a model: control flow, calls, attributes, containers. Other classes run operations.
class Interpreter {
 public:
  /// `recording`: null for a run that is only executed. `ranges`: may be null.
  Interpreter(ir::Graph& graph, const ModuleNames& names, SourceMap& sources,
              const TraceOptions& options, const Recording* recording, RangeWatch* ranges,
              StateWatch& state);
  c10::IValue run(const torch::jit::Module& module, const std::string& method, Values arguments);
  /// Runs a method, without its hooks, of an object that need not belong to the model. Returns its
  /// result.
  c10::IValue run_method(const ObjectPtr& object, const std::string& method,
                         const Values& arguments);

  /// Called before each call of a module's method.
  using OnCall = std::function<void(const c10::ivalue::Object& module, const std::string& method,
                                    const Values& arguments)>;
  void watch_calls(OnCall on_call) { on_call_ = std::move(on_call); }
  /// Calls of these modules are recorded as operations.
  void bind(BoundModules modules) { bound_modules_ = std::move(modules); }

  Where where() { return position_.where(); }  ///< in the program, for errors
  std::vector<Decision> decisions();           ///< in execution order

 private:
  void run_block(torch::jit::Block* block, Environment& env);
  void run_node(torch::jit::Node* node, Environment& env);
  void enter_scope(torch::jit::Node* node);
  void run_any(torch::jit::Node* node, Environment& env);
  bool run_structural(torch::jit::Node* node, Environment& env);
  void run_operation(torch::jit::Node* node, Environment& env);
  void run_constant(torch::jit::Node* node, Environment& env);
  void refuse_variable_outputs(const c10::IValue& result);
  /// Takes the operands of a node; values that are not read again leave `env`.
  Values take(torch::jit::Node* node, Environment& env);
  // interpreter_calls.cpp
  c10::IValue run_hooked(const torch::jit::Module& module, Values arguments);
  Diagnostic explained(Diagnostic diagnostic);
  [[noreturn]] void explain_failure();
  Values call(torch::jit::Function& function, Values arguments);
  void run_call_method(torch::jit::Node* node, Environment& env);
  Values run_bound(torch::jit::Node* node, const Values& arguments);
  void run_call_function(torch::jit::Node* node, Environment& env);
  void run_fork(torch::jit::Node* node, Environment& env);
  // interpreter_survey.cpp
  void survey_node(torch::jit::Node* node, Environment& env);
  static bool reads_data(const torch::jit::Node* node, const Environment& env);
  void run_taken(torch::jit::Node* node, Environment& env);
  void run_iterations(torch::jit::Node* node, Environment& env);
  // interpreter_modes.cpp, interpreter_values.cpp
  void run_get_attr(torch::jit::Node* node, Environment& env);
  void run_set_attr(torch::jit::Node* node, Environment& env);
  void warn_of_training();
  static bool is_mode_query(const torch::jit::Node* node);
  c10::IValue mode_answer(torch::jit::Node* node, const Environment& env);
  void run_with(torch::jit::Node* node, Environment& env);
  void run_construct(torch::jit::Node* node, Environment& env);
  void run_unpack(torch::jit::Node* node, Environment& env);
  void run_unwrap(torch::jit::Node* node, Environment& env);
  void mark_unpacked(const c10::IValue& list, Values& elements);

  const ir::Graph& graph_;
  const ModuleNames& names_;
  const TraceOptions& options_;
  Recorder* recorder_;
  StateWatch& state_;
  Marks marks_;
  Position position_;
  Liveness liveness_;
  NestingBudget nesting_;
  Decisions decisions_;
  RunningLoops running_;
  Branches branches_;
  Lists lists_;
  Loops loops_;
  Operations operations_;
  TensorNumbers numbers_;
  ContainerOperations container_operations_;
  Scalars scalars_;
  TensorOperations tensors_;
  FusedAttention fused_;
  std::optional<Surveyor> surveyor_;
  OnCall on_call_;
  std::optional<BoundModules> bound_modules_;
  std::unordered_map<const torch::jit::Scope*, ir::ScopeId> scopes_;
  bool reported_training_ = false;
  int64_t executed_ = 0;
};

}  // namespace t2n::trace
