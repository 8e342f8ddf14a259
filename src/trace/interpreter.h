// Runs the jit graphs of a model, node by node, on real tensors.
#pragma once

#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <string>
#include <unordered_map>
#include <vector>

#include "src/trace/recorder.h"
#include "src/trace/shadow.h"
#include "src/trace/source_map.h"
#include "src/trace/trace.h"

namespace t2n::trace {

struct Slot {
  c10::IValue value;
  Shadow shadow;
};

/// Collects what integer inputs may hold, from the tensors that they index.
class RangeWatch {
 public:
  void add_input(const at::Tensor& tensor, size_t index);
  void see(const std::string& op, const torch::jit::Stack& inputs, const std::vector<at::Tensor>& outputs);
  std::vector<std::optional<Range>> ranges(size_t inputs) const;

 private:
  void bound(const c10::IValue& index, int64_t high);
  std::unordered_map<const c10::TensorImpl*, size_t> carriers_;  ///< tensors that hold an input's values
  std::vector<at::Tensor> keep_;
  std::unordered_map<size_t, int64_t> highs_;
};

/// One run of a model. With a recorder every tensor operation is recorded; without, it is only executed.
class Interpreter {
 public:
  Interpreter(ir::Graph& graph, const ModuleNames& names, SourceMap& sources, const TraceOptions& options,
              Recorder* recorder, RangeWatch* ranges);

  c10::IValue run(const torch::jit::Module& module, const std::string& method,
                  const std::vector<c10::IValue>& arguments);

  /// Where the program is now, for errors.
  Place place();

 private:
  using Env = std::unordered_map<const torch::jit::Value*, Slot>;
  using Slots = std::vector<Slot>;

  Slots call(torch::jit::Function& function, Slots arguments);
  void run_block(torch::jit::Block* block, Env& env);
  void run_node(torch::jit::Node* node, Env& env);
  bool run_structural(torch::jit::Node* node, Env& env);
  void run_constant(torch::jit::Node* node, Env& env);
  void run_if(torch::jit::Node* node, Env& env);
  void run_loop(torch::jit::Node* node, Env& env);
  void run_call_method(torch::jit::Node* node, Env& env);
  void run_call_function(torch::jit::Node* node, Env& env);
  void run_fork(torch::jit::Node* node, Env& env);
  void run_construct(torch::jit::Node* node, Env& env);
  void run_unpack(torch::jit::Node* node, Env& env);
  void run_set_attr(torch::jit::Node* node, Env& env);
  void run_with(torch::jit::Node* node, Env& env);
  void run_operation(torch::jit::Node* node, Env& env);

  void execute(const torch::jit::Operator& op, const Run& run, torch::jit::Stack& stack);
  void record_after(const Call& call, const torch::jit::Stack& results);
  Shadow result_shadow(const torch::jit::Operator& op, const torch::jit::Stack& inputs,
                       const std::vector<Shadow>& shadows, const c10::IValue& result);
  void shadow_containers(const std::string& name, const torch::jit::Stack& inputs,
                         const std::vector<Shadow>& shadows, const c10::IValue& result);
  Slot& slot(const torch::jit::Value* value, Env& env) const;
  Slots slots(at::ArrayRef<torch::jit::Value*> values, Env& env) const;
  void set_outputs(torch::jit::Node* node, Env& env, Slots values) const;
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
  ContainerShadows containers_;
  std::unordered_map<const torch::jit::Node*, Run> operations_;
  std::unordered_map<const torch::jit::Node*, ir::SourceId> source_ids_;
  const torch::jit::Node* node_ = nullptr;
  ir::ScopeId scope_ = 0;
  int64_t executed_ = 0;
  int depth_ = 0;
};

}  // namespace t2n::trace
