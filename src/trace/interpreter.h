// Runs the jit graphs of a model, node by node, on real tensors.
#pragma once

#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/trace/range_watch.h"
#include "src/trace/recorder.h"
#include "src/trace/shadow.h"
#include "src/trace/slot.h"
#include "src/trace/source_map.h"
#include "src/trace/state_watch.h"
#include "src/trace/trace.h"

namespace t2n::trace {

/// One run of a model. With a recorder every tensor operation is recorded; without, it is only
/// executed.
class Interpreter {
 public:
  Interpreter(ir::Graph& graph, const ModuleNames& names, SourceMap& sources,
              const TraceOptions& options, Recorder* recorder, RangeWatch* ranges,
              StateWatch& state);

  c10::IValue run(const torch::jit::Module& module, const std::string& method,
                  const std::vector<c10::IValue>& arguments);

  /// Where the program is now, for errors.
  Place place();
  /// Where the way of the program followed from sizes, in execution order.
  std::vector<Decision> decisions() const { return decisions_; }

 private:
  using Env = std::unordered_map<const torch::jit::Value*, Slot>;
  using Slots = std::vector<Slot>;

  ir::SourceId source_of(const torch::jit::Node* node, bool torch_too);
  Slots call(torch::jit::Function& function, Slots arguments);
  void run_block(torch::jit::Block* block, Env& env);
  void run_node(torch::jit::Node* node, Env& env);
  bool run_structural(torch::jit::Node* node, Env& env);
  void run_constant(torch::jit::Node* node, Env& env);
  void run_if(torch::jit::Node* node, Env& env);
  void run_loop(torch::jit::Node* node, Env& env);
  void run_rolled(torch::jit::Node* node, Env& env);
  void run_call_method(torch::jit::Node* node, Env& env);
  void run_call_function(torch::jit::Node* node, Env& env);
  void run_fork(torch::jit::Node* node, Env& env);
  void run_construct(torch::jit::Node* node, Env& env);
  void run_unpack(torch::jit::Node* node, Env& env);
  void run_get_attr(torch::jit::Node* node, Env& env);
  Place assignment_place(const torch::jit::Node* node);
  void run_set_attr(torch::jit::Node* node, Env& env);
  void run_with(torch::jit::Node* node, Env& env);
  void run_operation(torch::jit::Node* node, Env& env);

  // execute.cpp
  const torch::jit::Operator& operator_of(const torch::jit::Node* node) const;
  void execute(const torch::jit::Operator& op, const Run& run, torch::jit::Stack& stack);
  void execute_or_explain(const torch::jit::Operator& op, const Run& run, torch::jit::Stack& stack);

  // follow.cpp
  Shadow size_shadow(const at::Tensor& tensor, int64_t axis);
  Shadow count_shadow(const at::Tensor& tensor);
  Shadow length_shadow(const std::string& name, const torch::jit::Stack& inputs);
  Shadow element_shadow(const c10::IValue& list, int64_t index) const;
  Shadow result_shadow(const std::string& name, const torch::jit::Stack& inputs,
                       const std::vector<Shadow>& shadows, const c10::IValue& result);
  void shadow_new_list(const std::string& name, const torch::jit::Stack& inputs,
                       const c10::IValue& result);
  void shadow_containers(const std::string& name, const torch::jit::Stack& inputs,
                         const std::vector<Shadow>& shadows, const c10::IValue& result);
  std::string origin(const std::string& name);

  // rolled_loop.cpp
  void run_turn(torch::jit::Block* body, Env& env, RolledLoop& loop);
  void check_carried(const Slots& before, const Slots& after,
                     const std::vector<std::optional<int64_t>>& steps) const;
  void check_turn_branch(const Shadow& condition);
  void note_list(const std::string& name, const torch::jit::Stack& inputs);
  using Lists = std::map<const void*, std::pair<c10::IValue, size_t>>;
  void follow_carried(RolledLoop& loop, const Lists& lists, const ir::Dim& length);
  void follow_lists(const Lists& lists, int64_t turns, const Slot& trips);
  void follow_list(const c10::IValue& list, size_t before, const Shadow& known, int64_t turns,
                   const ir::Dim& length);

  Slot& slot(const torch::jit::Value* value, Env& env) const;
  Slots slots(at::ArrayRef<torch::jit::Value*> values, Env& env) const;
  void set_outputs(torch::jit::Node* node, Env& env, Slots values) const;
  void note_decision(const torch::jit::Node* node, const Shadow& shadow, int64_t way);
  /// The turns that a loop took, and what it asked before each of them.
  void note_numbers(const torch::jit::Node* node, const torch::jit::Stack& inputs,
                    const std::vector<Shadow>& shadows);
  void note_loop(const torch::jit::Node* node, const Slot& trips, const Slots& conditions,
                 int64_t turns);
  [[noreturn]] void refuse_branch(const torch::jit::Node* node, const Shadow& shadow);
  std::string guard_id();
  bool accept_guard(const Shadow& shadow);
  bool select_branches(torch::jit::Node* node, const Slot& condition, Env& env);
  Slot select(const at::Tensor& condition, const Slot& yes, const Slot& no);

  ir::Graph& graph_;
  const ModuleNames& names_;
  SourceMap& sources_;
  const TraceOptions& options_;
  Recorder* recorder_;
  RangeWatch* ranges_;
  StateWatch& state_;
  ContainerShadows containers_;
  std::unordered_map<const torch::jit::Node*, Run> operations_;
  std::map<std::pair<const torch::jit::Node*, bool>, ir::SourceId> source_ids_;
  const torch::jit::Node* node_ = nullptr;
  std::vector<const torch::jit::Node*> callers_;  ///< of the function that runs, outermost first
  ir::ScopeId scope_ = 0;
  std::vector<Decision> decisions_;
  /// Lists that a loop has changed, with their lengths before; innermost loop last.
  std::vector<Lists> changed_lists_;
  int64_t executed_ = 0;
  int depth_ = 0;
};

}  // namespace t2n::trace
