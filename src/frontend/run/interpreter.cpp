#include "src/frontend/run/interpreter.h"

#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/constants.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "src/diag/error.h"
#include "src/frontend/load/nesting.h"
#include "src/frontend/load/slots.h"
#include "src/frontend/record/computed_numbers.h"
#include "src/frontend/run/fixed_branch.h"
#include "src/frontend/run/mode_rules.h"
#include "src/model/model.h"

namespace t2n::trace {
namespace {

namespace prim = c10::prim;
using torch::jit::Block;
using torch::jit::Node;
using torch::jit::Stack;

/// True for a block that always raises an exception: the failing branch of an assert.
bool only_raises(const Block* block) {
  return std::any_of(block->nodes().begin(), block->nodes().end(),
                     [](const Node* node) { return node->kind() == prim::RaiseException; });
}

/// True for a block without results and effects: it only warns, or tests whether to raise.
bool has_no_effect(const Block* block) {
  const std::initializer_list<torch::jit::NodeKind> silent = {
      c10::aten::warn, prim::Constant, prim::ListConstruct, prim::TupleConstruct, prim::ListUnpack};
  return std::all_of(block->nodes().begin(), block->nodes().end(), [&](const Node* node) {
    if (std::find(silent.begin(), silent.end(), node->kind()) != silent.end()) return true;
    if (node->kind() == prim::If)
      return node->outputs().empty() &&
             std::all_of(node->blocks().begin(), node->blocks().end(), [](const Block* each) {
               return only_raises(each) || has_no_effect(each);
             });
    const c10::FunctionSchema* schema = node->maybeSchema();
    return schema != nullptr && !schema->is_mutable() && node->blocks().empty() &&
           !node->hasSideEffects() && !node->isNondeterministic();
  });
}

/// Device literals (`cuda:0` of the machine that traced) mean the CPU here.
void move_devices_to_cpu(Stack& stack) {
  for (c10::IValue& value : stack)
    if (value.isDevice()) value = c10::IValue(at::Device(at::kCPU));
}

/// Whether the operands are tensors or contain any.
bool contain_tensors(const Stack& inputs) {
  return std::any_of(inputs.begin(), inputs.end(),
                     [](const c10::IValue& value) { return !flatten_tensors(value).empty(); });
}

/// The model's own error: its text, and the name of its class.
[[noreturn]] void refuse_raised(const std::vector<c10::IValue>& raised) {
  const std::string text = raised.at(0).isString() ? raised[0].toStringRef() : "";
  std::string type = raised.size() > 1 && raised[1].isString() ? raised[1].toStringRef() : "";
  type = type.substr(type.rfind('.') + 1);
  const std::string prefix = type.empty() ? "" : type + ": ";
  throw Error("forward-failed",
              text.empty() ? cat("the model raises ", type.empty() ? "an error" : type)
                           : cat("the model raises ", text.starts_with(prefix) ? "" : prefix, text),
              {}, "do the sample inputs fit the model? `t2nnef inspect` shows its arguments");
}

/// Runs the failing branch of an assert. Its error names the values of the condition.
void run_raising(const Mark& condition, const std::function<void()>& run) {
  try {
    run();
  } catch (const Error& error) {
    Diagnostic out = error.diagnostic();
    if (out.id != "forward-failed" || !out.why.empty()) throw;
    out.why = cat(kConditionOnValues, origin_of(condition));
    throw Error(std::move(out));
  }
}

}  // namespace

Interpreter::Interpreter(ir::Graph& graph, const ModuleNames& names, SourceMap& sources,
                         const TraceOptions& options, const Recording* recording,
                         RangeWatch* ranges, StateWatch& state)
    : graph_(graph),
      names_(names),
      options_(options),
      recorder_(recording == nullptr ? nullptr : &recording->recorder),
      recorded_loops_(recording == nullptr ? nullptr : &recording->loops),
      needs_padding_(recording == nullptr ? nullptr : &recording->needs_padding),
      state_(state),
      position_(graph, sources),
      decisions_(options, position_),
      loops_(marks_, decisions_, recording == nullptr ? nullptr : &recording->loops.origins()),
      choices_(position_, marks_, recorder_),
      lists_(graph, options, position_, marks_, decisions_, loops_),
      operations_(options.native_halves),
      numbers_(graph, options, position_, marks_, decisions_, recorder_),
      container_operations_(position_, state, marks_, decisions_, loops_, lists_, nesting_,
                            operations_),
      scalars_(position_, state, marks_, decisions_, loops_, container_operations_, numbers_,
               operations_, recorder_),
      tensors_(options, position_, state, marks_, decisions_, loops_, lists_, numbers_, operations_,
               recorder_, ranges),
      fused_(graph, options, position_, marks_, decisions_, operations_, recorder_) {}

c10::IValue Interpreter::run(const torch::jit::Module& module, const std::string& method,
                             std::vector<c10::IValue> arguments) {
  Values all = std::move(arguments);
  all.insert(all.begin(), module._ivalue());
  try {
    const c10::IValue result =
        method == "forward" ? run_hooked(module, std::move(all))
                            : call(module.get_method(method).function(), std::move(all)).at(0);
    check_nesting(result, "unsupported-output", "what the model returns");
    if (recorder_ == nullptr) return marks_.without(result);
    const c10::IValue computed =
        ComputedNumbers(position_, marks_, *recorder_).with_tensors(result);
    refuse_variable_outputs(computed);
    return marks_.without(computed);
  } catch (const std::exception&) {
    explain_failure();
  }
}

/// Refuses results whose number, or choice, depends on data or on a dynamic size.
void Interpreter::refuse_variable_outputs(const c10::IValue& result) {
  const Mark mark = marks_.reach(result);
  if (is_data(mark))
    throw Error("data-dependent-value", "the model's result depends on a tensor's values",
                cat("the number of tensors, or a number among them, comes from ", origin_of(mark),
                    "; the exported model would fix the result of this run"),
                "return tensors, and the same number of them in every run");
  decisions_.note_number(position_.node, mark, c10::IValue("of results"));
}

const c10::IValue& Interpreter::value(const torch::jit::Value* value, const Env& env) const {
  const auto found = env.find(value);
  T2N_ASSERT(found != env.end(), "the value %", value->debugName(), " is not set");
  return found->second;
}

Interpreter::Values Interpreter::values(at::ArrayRef<torch::jit::Value*> values,
                                        const Env& env) const {
  Values out;
  out.reserve(values.size());
  for (const torch::jit::Value* each : values) out.push_back(decisions_.adjusted(value(each, env)));
  return out;
}

Interpreter::Values Interpreter::take(Node* node, Env& env) {
  Values out = values(node->inputs(), env);
  for (const torch::jit::Value* ended : liveness_.ends_at(node)) env.erase(ended);
  return out;
}

/// Takes the results of a block. Only the node around it reads them.
Interpreter::Values Interpreter::take_results(Block* block, Env& env) const {
  Values out = values(block->outputs(), env);
  for (const torch::jit::Value* output : block->outputs())
    if (output->node()->owningBlock() == block) env.erase(output);
  return out;
}

void Interpreter::set_outputs(Node* node, Env& env, Values values) const {
  if (values.size() != node->outputs().size())
    throw Error("forward-failed", cat(node->kind().toQualString(), " gave ", values.size(),
                                      " results, expected ", node->outputs().size()));
  for (size_t i = 0; i < values.size(); ++i)
    if (node->output(i)->hasUses()) env[node->output(i)] = std::move(values[i]);
}

void Interpreter::run_block(Block* block, Env& env) {
  for (Node* node : block->nodes()) {
    position_.node = node;
    run_node(node, env);
    for (const torch::jit::Value* ended : liveness_.ends_at(node)) env.erase(ended);
  }
}

void Interpreter::run_node(Node* node, Env& env) {
  if (++executed_ > options_.max_operations)
    throw Error("trace-limit",
                cat("the model ran more than ", options_.max_operations, " operations"),
                "a loop may not end, or unrolls into a very large graph");
  if (!run_structural(node, env)) run_operation(node, env);
}

bool Interpreter::run_structural(Node* node, Env& env) {
  const auto copy_input = [&] { set_outputs(node, env, {value(node->input(0), env)}); };
  switch (node->kind()) {
    case prim::Constant: run_constant(node, env); return true;
    case prim::GetAttr: run_get_attr(node, env); return true;
    case prim::SetAttr: run_set_attr(node, env); return true;
    case prim::CallMethod: run_call_method(node, env); return true;
    case prim::CallFunction: run_call_function(node, env); return true;
    case prim::If: run_if(node, env); return true;
    case prim::Loop: run_loop(node, env); return true;
    case prim::fork: run_fork(node, env); return true;
    case prim::unchecked_cast:
      if (!fits(value(node->input(0), env), node->output()->type()))
        throw Error("forward-failed", cat("a value is not of the type ",
                                          quoted(node->output()->type()->annotation_str()),
                                          " that the code declares"));
      copy_input();
      return true;
    case prim::unchecked_unwrap_optional:
    case c10::aten::_unwrap_optional: run_unwrap(node, env); return true;
    case prim::Uninitialized: set_outputs(node, env, {c10::IValue::uninitialized()}); return true;
    case prim::RaiseException:
      if (!speculation_.empty()) speculation_.end("raises an exception");
      refuse_raised(take(node, env));
    case prim::Print: return true;
    case prim::Enter:
    case prim::Exit: run_with(node, env); return true;
    case prim::ListConstruct:
    case prim::TupleConstruct:
    case prim::DictConstruct:
    case prim::CreateObject:
    case prim::isinstance: run_construct(node, env); return true;
    case prim::TupleUnpack:
    case prim::ListUnpack:
    case prim::TupleIndex:
    case prim::TupleSlice: run_unpack(node, env); return true;
    default: break;
  }
  static const auto data = c10::Symbol::fromQualString("prim::data");
  // Forks run at once, so that a future is its own result; x.data is the same memory without
  // gradient.
  if (node->kind() == c10::aten::wait || node->kind() == data) {
    copy_input();
    return true;
  }
  if (node->kind() == c10::aten::warn) return true;
  if (is_mode_query(node)) {
    set_outputs(node, env, {mode_answer(node, env)});
    return true;
  }
  return false;
}

void Interpreter::run_operation(Node* node, Env& env) {
  const Operation& operation = operations_.find(node);
  Stack inputs = take(node, env);
  if (!decisions_.fixed_conditions().empty() && recorder_ != nullptr) {
    ComputedNumbers computed(position_, marks_, *recorder_);
    adapt_to_fixed(decisions_.fixed_conditions(), numbers_, recorder_->aliases(), computed,
                   operation.op->schema(), inputs);
  }
  move_devices_to_cpu(inputs);
  if (!speculation_.empty()) {
    speculation_.require_own(operation.op->schema(), inputs, recorder_->aliases());
    inputs = protect(node, operation.op->schema(), std::move(inputs));
  }
  Stack results;
  if (operation.may_move && ContainerOperations::moves_elements(inputs))
    results = container_operations_.run(operation, std::move(inputs));
  else if (const auto padded = fused_.run(operation, inputs))
    results = {*padded};
  else if (operation.has_tensors || (!operation.ignores_elements && contain_tensors(inputs)))
    results = tensors_.run(node, operation, inputs);
  else
    results = scalars_.run(operation, std::move(inputs));
  fused_.insert_nan(operation, inputs, results);
  speculation_.note_created(operation.op->schema(), results);
  set_outputs(node, env, std::move(results));
}

void Interpreter::run_constant(Node* node, Env& env) {
  if (node->output()->type()->kind() == c10::TypeKind::FunctionType) {
    env[node->output()] = c10::IValue();
    return;
  }
  const auto value = torch::jit::toIValue(node->output());
  T2N_ASSERT(value, "a constant without value");
  if (value->isTensor()) state_.add_constant(value->toTensor());
  env[node->output()] = *value;
}

void Interpreter::run_if(Node* node, Env& env) {
  const c10::IValue condition = value(node->input(0), env);
  const Mark mark = mark_of(condition);
  const auto fixed = options_.fixed_branches.find(node);
  const bool is_fixed = fixed != options_.fixed_branches.end() && mark && !is_data(mark);
  const bool taken = is_fixed ? fixed->second != 0 : unmarked(condition).toBool();
  Block* block = node->blocks()[taken ? 0 : 1];
  Block* other = node->blocks()[taken ? 1 : 0];
  if (node->outputs().empty() && has_no_effect(block) && has_no_effect(other))
    return run_block(block, env);
  // A branch that raises an exception for invalid values is not a branch of the program.
  if (is_data(mark) && !only_raises(other) && !only_raises(block)) {
    auto selected = select_branches(node, mark, taken, env);
    if (auto* const results = std::get_if<Values>(&selected))
      return set_outputs(node, env, std::move(*results));
    position_.node = node;
    if (!decisions_.accept_guard(mark))
      decisions_.refuse_branch(node, mark, std::get<Reason>(selected).text);
  }
  std::string reason;
  const bool by_iteration = changes_with_iteration(mark) && !only_raises(block);
  if (recorder_ != nullptr && (by_iteration || options_.selected_branches.contains(node)) &&
      truth_of(mark) && !only_raises(other)) {
    const Mark selector = data_mark(
        by_iteration ? "the iteration number" : "a size that depends on values", truth_of(mark));
    auto selected = select_branches(node, selector, taken, env);
    if (auto* const results = std::get_if<Values>(&selected))
      return set_outputs(node, env, std::move(*results));
    reason = std::get<Reason>(selected).text;
    position_.node = node;
  }
  check_iteration_branch(mark, reason);
  if (!depends_on_iteration(mark))
    if (Decision* noted = decisions_.note(node, mark, taken ? 1 : 0)) {
      noted->is_guard = only_raises(other);
      noted->reason = reason;
    }
  if (is_data(mark) && only_raises(block)) return run_raising(mark, [&] { run_block(block, env); });
  const Decisions::FixedBranch fixed_branch(decisions_, is_fixed ? mark : nullptr, taken,
                                            unmarked(condition).toBool() == taken,
                                            recorder_ ? recorder_->aliases().entries() : 0);
  run_block(block, env);
  set_outputs(node, env, take_results(block, env));
}

/// The program's decisions, with the guards for tensors that were read after the run.
std::vector<Decision> Interpreter::decisions() {
  if (recorder_ != nullptr) decisions_.add_guards(recorder_->regions().take_relied());
  return decisions_.all();
}

void Interpreter::run_loop(Node* node, Env& env) {
  if (recorder_ != nullptr && options_.rerolled_loops.contains(node))
    return run_rerolled(node, env);
  const c10::IValue trips = value(node->input(0), env);
  c10::IValue condition = value(node->input(1), env);
  Values carried = values(node->inputs().slice(2), env);
  Block* body = node->blocks()[0];
  loops_.begin();
  loops::NoteTaker* const notes =
      options_.notes_loops && recorded_loops_ != nullptr ? &recorded_loops_->notes() : nullptr;
  if (notes != nullptr) {
    recorder_->flush_writes();
    notes->begin_loop(node);
  }
  Values conditions;
  int64_t iteration = 0;
  for (;; ++iteration) {
    position_.node = node;
    if (ends_by_data(trips, condition)) {
      iteration = run_masked(node, {trips, condition, iteration}, carried, env);
      conditions.emplace_back(true);
      break;
    }
    for (const Mark& mark : {mark_of(trips), mark_of(condition)})
      if (is_data(mark) && !decisions_.accept_guard(mark)) decisions_.refuse_branch(node, mark);
    if (iteration >= unmarked(trips).toInt()) break;
    conditions.push_back(condition);
    if (!unmarked(condition).toBool()) break;
    env[body->inputs()[0]] = c10::IValue(iteration);
    for (size_t i = 0; i < carried.size(); ++i) env[body->inputs()[i + 1]] = std::move(carried[i]);
    run_block(body, env);
    Values results = take_results(body, env);
    condition = results[0];
    carried.assign(results.begin() + 1, results.end());
    if (notes != nullptr) {
      recorder_->flush_writes();
      notes->end_iteration();
    }
  }
  if (notes != nullptr) notes->end_loop();
  const ChangedLists lists = loops_.end();
  decisions_.note_loop(node, trips, conditions, iteration);
  loops_.mark_list_lengths(lists, iteration, mark_of(trips));
  set_outputs(node, env, std::move(carried));
}

}  // namespace t2n::trace
