// Runs the jit graphs of a model, node by node, on real tensors.
#pragma once

#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/model/traced.h"
#include "src/trace/liveness.h"
#include "src/trace/marks.h"
#include "src/trace/number_rules.h"
#include "src/trace/range_watch.h"
#include "src/trace/recorder.h"
#include "src/trace/rolled_loop.h"
#include "src/trace/source_map.h"
#include "src/trace/state_watch.h"
#include "src/trace/value_reads.h"

namespace t2n::trace {

/// One run of a model. With a recorder every tensor operation is recorded; without, it is only
/// executed.
class Interpreter {
 public:
  using Values = std::vector<c10::IValue>;
  Interpreter(ir::Graph& graph, const ModuleNames& names, SourceMap& sources,
              const TraceOptions& options, Recorder* recorder, RangeWatch* ranges,
              StateWatch& state);

  c10::IValue run(const torch::jit::Module& module, const std::string& method,
                  const std::vector<c10::IValue>& arguments);

  /// A method of an object that need not be a part of the model; without its hooks.
  void run_method(const ObjectPtr& object, const std::string& method, const Values& arguments);

  /// Where the program is now, for errors.
  Place place();
  Where where();
  /// Where the way of the program followed from sizes, in execution order.
  std::vector<Decision> decisions() const { return decisions_; }

 private:
  using Env = std::unordered_map<const torch::jit::Value*, c10::IValue>;
  /// An operation of the program, looked up once.
  struct Operation {
    const torch::jit::Operator* op = nullptr;
    Run run;
    bool may_move = false;     ///< the name is one of those that move elements about
    bool has_tensors = false;  ///< the schema speaks of tensors
    bool is_blind = false;     ///< it asks nothing of what is in a container
  };

  c10::IValue run_hooked(const torch::jit::Module& module, Values arguments);
  [[noreturn]] void explain_failure();
  void require_tree(const c10::Type& type, const c10::IValue& held);
  ir::SourceId source_of(const torch::jit::Node* node, bool torch_too);
  Values call(torch::jit::Function& function, Values arguments);
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
  void warn_of_training();
  static bool is_mode_question(const torch::jit::Node* node);
  c10::IValue mode_answer(torch::jit::Node* node, const Env& env);
  Place assignment_place(const torch::jit::Node* node);
  void run_set_attr(torch::jit::Node* node, Env& env);
  void run_with(torch::jit::Node* node, Env& env);
  void run_unwrap(torch::jit::Node* node, Env& env);
  void follow_unpacked(const c10::IValue& list, Values& elements);

  // execute.cpp
  void run_operation(torch::jit::Node* node, Env& env);
  const torch::jit::Operator& operator_of(const torch::jit::Node* node) const;
  const Operation& operation_of(torch::jit::Node* node);
  void execute(const torch::jit::Operator& op, const Run& run, torch::jit::Stack& stack);
  void execute_or_explain(const Operation& operation, torch::jit::Stack& stack);
  bool is_literal(const torch::jit::Stack& inputs);
  OpCall prepare(torch::jit::Node* node, const Operation& known, const torch::jit::Stack& inputs);
  void refuse_unsaid(const std::string& name, const torch::jit::Stack& inputs);
  torch::jit::Stack run_tensors(torch::jit::Node* node, const Operation& operation,
                                torch::jit::Stack given);
  void check_unrecorded(const c10::FunctionSchema& schema, const torch::jit::Stack& inputs);
  bool may_fail(size_t first_node) const;
  void stride_owner(const std::string& name, torch::jit::Stack& inputs);

  // moves.cpp: operations that move elements of lists and dictionaries about.
  static bool may_move_elements(const std::string& name);
  static bool moves_elements(const torch::jit::Stack& inputs);
  torch::jit::Stack run_move(const Operation& operation, torch::jit::Stack inputs);
  Mark asked_place(const std::string& name, const c10::IValue& container,
                   const c10::IValue& operand);
  void settle_key(const c10::IValue& dictionary, const c10::IValue& key, const std::string& name);
  void follow_element(const torch::jit::Stack& inputs, const Mark& asked, const Mark& length,
                      c10::IValue& element);
  Mark repeated_length(const torch::jit::Stack& inputs, const Mark& asked);
  Mark made_length(const std::string& name, const torch::jit::Stack& inputs, const Mark& asked);
  void follow_change(const std::string& name, const torch::jit::Stack& inputs, const Mark& asked,
                     const Mark& length);
  void follow_move(const std::string& name, const torch::jit::Stack& inputs, const Mark& asked,
                   const Mark& length, torch::jit::Stack& results);

  // open_lists.cpp: elements of lists whose length follows from sizes.
  bool is_open_list(const c10::IValue& list) const;
  void settle_length(const c10::IValue& list);
  std::optional<size_t> cut(Outline& outline, int64_t place, bool from_front);
  void settle_access(const std::string& name, const torch::jit::Stack& inputs, const Mark& asked);
  void settle_argument(const c10::IValue& list);
  void follow_slice(const torch::jit::Stack& inputs, const c10::IValue& part);
  Outline changed_outline(const std::string& name, const torch::jit::Stack& inputs,
                          const Mark& asked, Outline before, Outline more);

  // scalars.cpp: operations on numbers, strings, and containers as a whole.
  torch::jit::Stack run_scalars(const Operation& operation, torch::jit::Stack inputs);
  std::optional<c10::IValue> compare_lists(const std::string& name,
                                           const torch::jit::Stack& inputs);
  bool same_number(const c10::IValue& a, const c10::IValue& b);
  Mark scalar_mark(const std::string& name, const torch::jit::Stack& inputs,
                   std::optional<Mark>& exact);
  void settle_comparisons(torch::jit::Stack& inputs);
  void settle_ranges(const std::string& name, const std::vector<Operand>& operands);

  // follow.cpp: what numbers that come out of tensor operations follow from.
  Mark axis_mark(const at::Tensor& tensor, int64_t axis);
  Mark layout_mark(const at::Tensor& tensor);
  void settle_layout(const at::Tensor& tensor);
  bool decides_by_data(const std::string& name, const torch::jit::Stack& inputs);
  Mark tensor_mark(const at::Tensor& tensor, const std::string& name);
  Mark number_of(const std::string& name, const torch::jit::Stack& inputs);
  Mark default_mark(const std::string& name, const torch::jit::Stack& inputs);
  bool settle_chunks(const ir::Dim& size, int64_t now, int64_t asked, size_t given);
  Mark length_mark(const std::string& name, const torch::jit::Stack& inputs,
                   const c10::IValue& parts);
  void mark_parts(const std::string& name, const torch::jit::Stack& inputs,
                  const c10::IValue& parts);
  c10::IValue followed(const std::string& name, const torch::jit::Stack& inputs,
                       const c10::IValue& result);
  void follow_number(const std::string& name, const torch::jit::Stack& inputs,
                     const at::Tensor& result);
  void mark_lengths(const c10::IValue& list, const at::Tensor& tensor, int64_t axis);
  std::string origin(const std::string& name);

  // formula.cpp
  at::Tensor recorded(const char* name, const char* overload, const torch::jit::Stack& inputs);
  at::Tensor computed(const Formula& formula);
  std::optional<at::Tensor> stacked_numbers(const std::string& name,
                                            const torch::jit::Stack& inputs);
  static bool has_tensor_form(const c10::FunctionSchema& schema, const torch::jit::Stack& inputs);
  OpCall prepare_computed(const c10::FunctionSchema& schema, const torch::jit::Stack& inputs);

  // rolled_loop.cpp
  void run_iteration(torch::jit::Block* body, Env& env, RolledLoop& loop);
  void decide_later(std::vector<Decision> later, const loops::Rolled& rolled, size_t first);
  void check_carried(const Values& before, const Values& after,
                     const std::vector<std::optional<int64_t>>& steps) const;
  void check_iteration_branch(const Mark& condition);
  void note_list(const std::string& name, const torch::jit::Stack& inputs);
  void follow_carried(RolledLoop& loop, const ChangedLists& lists, const ir::Dim& length);
  void follow_lists(const ChangedLists& lists, int64_t iterations, const Mark& trips);
  void follow_grown(const c10::IValue& list, Outline before, bool at_end);
  Outline written_in_iterations(const Mark& asked, const c10::IValue& list, bool is_from_end,
                                Outline outline);

  // iteration_ends.cpp: what the iterations of rolled loops leave.
  void note_iteration_end(RolledLoop& loop) const;
  void settle_iteration_end(const std::vector<IterationEnd>& ends, int64_t first_iteration,
                            const ir::Dim& length);
  void settle_iteration_ends(const RolledLoop& loop, const ir::Dim& length);

  // iteration_lists.cpp: elements of lists at places that follow from the iteration of a rolled
  // loop.
  bool follows_iteration(const c10::IValue& list, const Mark& asked) const;
  void settle_iteration_access(const std::string& name, const torch::jit::Stack& inputs,
                               const Mark& asked);
  bool are_alike(c10::ArrayRef<c10::IValue> elements) const;
  void settle_inside(const Outline& outline, const ir::Dim& low, const ir::Dim& high);
  void settle_accesses(const RolledLoop& loop, const ir::Dim& length);

  // rolled_writes.cpp: what the iterations of rolled loops write to containers and objects.
  void note_made(const c10::IValue& value);
  void note_write(const c10::IValue& held);
  void follow_growth(const c10::IValue& list);
  bool keeps_content(const c10::IValue& before, const c10::IValue& after) const;
  void follow_rebound(const RolledLoop& loop, size_t index, const c10::IValue& list);
  Mark length_in_iteration(const RolledLoop& loop, const ChangedList& each, size_t count) const;
  void end_written_iteration(RolledLoop& loop);
  void begin_written_iteration(RolledLoop& loop);
  void follow_list(const c10::IValue& list, size_t before, const Mark& known, int64_t iterations,
                   const ir::Dim& length);

  const c10::IValue& value(const torch::jit::Value* value, const Env& env) const;
  /// The operands of a node; those that nothing reads after it leave `env`.
  Values take(torch::jit::Node* node, Env& env);
  Values values(at::ArrayRef<torch::jit::Value*> values, const Env& env) const;
  Values take_results(torch::jit::Block* block, Env& env) const;
  void set_outputs(torch::jit::Node* node, Env& env, Values values) const;
  void refuse_open_outputs(const c10::IValue& result);

  // branch.cpp
  void note_decision(const torch::jit::Node* node, const Mark& mark, int64_t way,
                     Decision::Kind kind = Decision::Kind::branch);
  /// What the program decides by a comparison of sizes: the file holds for the same answer.
  void settle(const Mark& comparison, bool answer);
  void settle_all(const std::vector<ir::Comparison>& comparisons);
  /// A number that an operation is given and that no expression says, if the file would hold it.
  void note_number(const torch::jit::Node* node, const Mark& mark, const c10::IValue& number);
  void note_numbers(const torch::jit::Node* node, const torch::jit::Stack& inputs,
                    bool is_computable);
  /// The iterations that a loop took, and what it asked before each of them.
  void note_loop(const torch::jit::Node* node, const c10::IValue& trips, const Values& conditions,
                 int64_t iterations);
  [[noreturn]] void refuse_branch(const torch::jit::Node* node, const Mark& mark);
  /// How deep the program is in calls and loops.
  struct Standing {
    size_t callers = 0;
    size_t lists = 0;
    size_t rolling = 0;
    int depth = 0;
    ir::ScopeId scope = 0;
    std::string function;
  };
  Standing standing() const;
  void stand(const Standing& at);
  std::string guard_id();
  bool accept_guard(const Mark& mark);
  bool select_branches(torch::jit::Node* node, const Mark& condition, Env& env);
  c10::IValue select(const at::Tensor& condition, const c10::IValue& yes, const c10::IValue& no);

  ir::Graph& graph_;
  const ModuleNames& names_;
  SourceMap& sources_;
  const TraceOptions& options_;
  Recorder* recorder_;
  RangeWatch* ranges_;
  StateWatch& state_;
  Marks marks_;
  Liveness liveness_;
  ValueReads reads_;
  std::unordered_map<const torch::jit::Node*, Operation> operations_;
  std::map<std::pair<const torch::jit::Node*, bool>, ir::SourceId> source_ids_;
  const torch::jit::Node* node_ = nullptr;
  std::vector<const torch::jit::Node*> callers_;  ///< of the function that runs, outermost first
  std::string function_;                          ///< the one that runs, by its qualified name
  bool said_training_ = false;
  ir::ScopeId scope_ = 0;
  std::vector<Decision> decisions_;
  /// Lists that a loop has changed, with their lengths before; innermost loop last.
  std::vector<ChangedLists> changed_lists_;
  std::vector<RolledLoop*> rolling_;  ///< rolled loops that run, innermost last
  int64_t executed_ = 0;
  size_t nested_ = 0;  ///< values that were looked at for whether they contain themselves
  int depth_ = 0;
};

}  // namespace t2n::trace
