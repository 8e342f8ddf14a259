// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/run/interpreter.h"

#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/constants.h>

#include <algorithm>
#include <utility>

#include "src/diag/error.h"
#include "src/frontend/load/nesting.h"
#include "src/frontend/load/slots.h"
#include "src/frontend/record/computed_numbers.h"
#include "src/frontend/run/fixed_branch.h"

namespace t2n::trace {
namespace {

namespace prim = c10::prim;
using torch::jit::Block;
using torch::jit::Node;
using torch::jit::Stack;

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

/// The path of the module that a node of an exported program belongs to.
std::string exported_scope(const torch::jit::Scope& scope) {
  const std::string name = scope.name().toUnqualString();
  return name == kModelScope ? "" : name;
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

}  // namespace

Interpreter::Interpreter(ir::Graph& graph, const ModuleNames& names, SourceMap& sources,
                         const TraceOptions& options, const Recording* recording,
                         RangeWatch* ranges, StateWatch& state)
    : graph_(graph),
      names_(names),
      options_(options),
      recorder_(recording == nullptr ? nullptr : &recording->recorder),
      state_(state),
      position_(graph, sources),
      decisions_(options, position_),
      running_(marks_, decisions_, recording == nullptr ? nullptr : &recording->loops.origins()),
      branches_(options, recording, position_, marks_, decisions_, running_,
                [this](Block* block, Environment& env) { run_block(block, env); }),
      lists_(graph, options, marks_, decisions_, running_),
      loops_(options, recording, position_, decisions_, running_, lists_, branches_),
      operations_(options.native_halves),
      numbers_(graph, options, position_, marks_, decisions_, recorder_),
      container_operations_(position_, state, marks_, decisions_, running_, lists_, nesting_,
                            operations_),
      scalars_(position_, state, marks_, decisions_, running_, container_operations_, numbers_,
               operations_, recorder_),
      tensors_(options, position_, state, marks_, decisions_, running_, lists_, numbers_,
               operations_, recorder_, ranges),
      fused_(graph, options, position_, marks_, decisions_, operations_, recorder_) {
  if (options.survey != nullptr && recorder_ != nullptr)
    surveyor_.emplace(*options.survey, graph, position_, marks_, *recorder_, operations_);
}

c10::IValue Interpreter::run(const torch::jit::Module& module, const std::string& method,
                             std::vector<c10::IValue> arguments) {
  Values all = std::move(arguments);
  all.insert(all.begin(), module._ivalue());
  try {
    const c10::IValue result =
        method == "forward" ? run_hooked(module, std::move(all))
                            : call(module.get_method(method).function(), std::move(all)).at(0);
    check_nesting(result, "unsupported-output", "what the model returns");
    if (bound_modules_) bound_modules_->require_called();
    if (recorder_ == nullptr) return marks_.without(result);
    const c10::IValue computed = ComputedNumbers(position_, marks_, recorder_).with_tensors(result);
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
  decisions_.note_number(mark, c10::IValue("of results"));
}

Values Interpreter::take(Node* node, Environment& env) {
  Values out = env.all(node->inputs());
  env.erase(liveness_.ends_at(node));
  return out;
}

void Interpreter::run_block(Block* block, Environment& env) {
  for (Node* node : block->nodes()) {
    position_.node = node;
    run_node(node, env);
    env.erase(liveness_.ends_at(node));
  }
}

/// Nodes of an exported program name their modules: it has no calls of modules.
void Interpreter::enter_scope(Node* node) {
  const torch::jit::ScopePtr scope = node->scope();
  if (!scope || scope->isBlank()) return;
  const auto [known, is_new] = scopes_.try_emplace(scope.get(), 0);
  if (is_new) known->second = names_.scope_at(exported_scope(*scope));
  position_.calls.scope = known->second;
}

void Interpreter::run_node(Node* node, Environment& env) {
  enter_scope(node);
  if (++executed_ > options_.max_operations)
    throw Error("trace-limit",
                cat("the model ran more than ", options_.max_operations, " operations"),
                "a loop may not end, or unrolls into a very large graph");
  if (static_cast<int64_t>(graph_.values.size()) > options_.max_operations)
    throw Error("trace-limit",
                cat("the operations have more than ", options_.max_operations, " results"),
                "a loop repeats operations with many results, such as unbind");
  if (surveyor_ && branches_.speculation().empty()) return survey_node(node, env);
  run_any(node, env);
}

void Interpreter::run_any(Node* node, Environment& env) {
  if (!run_structural(node, env)) run_operation(node, env);
}

bool Interpreter::run_structural(Node* node, Environment& env) {
  const auto copy_input = [&] { env.set_outputs(node, {env.at(node->input(0))}); };
  switch (node->kind()) {
    case prim::Constant: run_constant(node, env); return true;
    case prim::GetAttr: run_get_attr(node, env); return true;
    case prim::SetAttr: run_set_attr(node, env); return true;
    case prim::CallMethod: run_call_method(node, env); return true;
    case prim::CallFunction: run_call_function(node, env); return true;
    case prim::If: branches_.run(node, env); return true;
    case prim::Loop: loops_.run(node, env); return true;
    case prim::fork: run_fork(node, env); return true;
    case prim::unchecked_cast:
      if (!fits(env.at(node->input(0)), node->output()->type()))
        throw Error("forward-failed", cat("a value is not of the type ",
                                          quoted(node->output()->type()->annotation_str()),
                                          " that the code declares"));
      copy_input();
      return true;
    case prim::unchecked_unwrap_optional:
    case c10::aten::_unwrap_optional: run_unwrap(node, env); return true;
    case prim::Uninitialized: env.set_outputs(node, {c10::IValue::uninitialized()}); return true;
    case prim::RaiseException:
      if (!branches_.speculation().empty()) branches_.speculation().end("raises an exception");
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
    env.set_outputs(node, {mode_answer(node, env)});
    return true;
  }
  return false;
}

void Interpreter::run_operation(Node* node, Environment& env) {
  const Operation& operation = operations_.find(node);
  Stack inputs = take(node, env);
  if (!decisions_.fixed_conditions().empty() && recorder_ != nullptr) {
    ComputedNumbers computed(position_, marks_, recorder_);
    adapt_to_fixed(decisions_.fixed_conditions(), numbers_, recorder_->aliases(), computed,
                   operation.op->schema(), inputs);
  }
  move_devices_to_cpu(inputs);
  if (!branches_.speculation().empty()) {
    branches_.speculation().require_own(operation.op->schema(), inputs, recorder_->aliases());
    inputs = branches_.protect(node, operation.op->schema(), std::move(inputs));
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
  branches_.speculation().note_created(operation.op->schema(), results);
  env.set_outputs(node, std::move(results));
}

void Interpreter::run_constant(Node* node, Environment& env) {
  if (node->output()->type()->kind() == c10::TypeKind::FunctionType) {
    env[node->output()] = c10::IValue();
    return;
  }
  const auto value = torch::jit::toIValue(node->output());
  T2N_ASSERT(value, "a constant without value");
  if (value->isTensor()) state_.add_constant(value->toTensor());
  env[node->output()] = *value;
}

/// The program's decisions, with the guards for tensors that were read after the run.
std::vector<Decision> Interpreter::decisions() {
  if (recorder_ != nullptr) decisions_.add_guards(recorder_->regions().take_relied());
  return decisions_.all();
}

}  // namespace t2n::trace
