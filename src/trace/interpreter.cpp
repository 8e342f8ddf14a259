#include "src/trace/interpreter.h"

#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/constants.h>

#include <algorithm>
#include <array>

#include "src/diag/error.h"
#include "src/trace/operators.h"
#include "src/trace/torch_error.h"

namespace t2n::trace {
namespace {

namespace prim = c10::prim;
using torch::jit::Block;
using torch::jit::Node;
using torch::jit::Stack;

/// A block that cannot be left but by an exception: the failing side of an assert.
bool only_raises(Block* block) {
  return std::any_of(block->nodes().begin(), block->nodes().end(),
                     [](const Node* node) { return node->kind() == prim::RaiseException; });
}

/// These steer how torch runs, not what is computed; answering as in training mode keeps fused
/// inference-only operators (`_native_multi_head_attention`) out of the graph.
bool is_grad_question(const Node* node) {
  static const auto is_grad_enabled = c10::Symbol::fromQualString("aten::is_grad_enabled");
  return node->kind() == is_grad_enabled || node->kind() == prim::requires_grad;
}

c10::intrusive_ptr<c10::ivalue::Object> object_of(const Slot& slot) {
  return slot.value.toObject();
}

}  // namespace

Interpreter::Interpreter(ir::Graph& graph, const ModuleNames& names, SourceMap& sources,
                         const TraceOptions& options, Recorder* recorder, RangeWatch* ranges,
                         StateWatch& state)
    : graph_(graph),
      names_(names),
      sources_(sources),
      options_(options),
      recorder_(recorder),
      ranges_(ranges),
      state_(state) {}

ir::SourceId Interpreter::source_of(const torch::jit::Node* node, bool torch_too) {
  const auto [found, is_new] = source_ids_.try_emplace({node, torch_too}, ir::kNoSource);
  if (is_new) {
    ir::Source source = sources_.find(node->sourceRange(), torch_too);
    if (!source.frames.empty()) found->second = ir::add_source(graph_, std::move(source));
  }
  return found->second;
}

/// The user's own line: of the node, or of the nearest call that led to it through torch's modules.
Place Interpreter::place() {
  if (node_ == nullptr) return {scope_, ir::kNoSource};
  ir::SourceId source = source_of(node_, false);
  for (size_t i = callers_.size(); i > 0 && source == ir::kNoSource; --i)
    if (callers_[i - 1] != nullptr) source = source_of(callers_[i - 1], false);
  return {scope_, source == ir::kNoSource ? source_of(node_, true) : source};
}

c10::IValue Interpreter::run(const torch::jit::Module& module, const std::string& method,
                             const std::vector<c10::IValue>& arguments) {
  Slots slots = {Slot{module._ivalue(), nullptr}};
  for (const c10::IValue& argument : arguments) slots.push_back({argument, nullptr});
  try {
    return call(module.get_method(method).function(), std::move(slots)).at(0).value;
  } catch (t2n::Error& error) {
    if (error.diagnostic().where.empty()) {
      Diagnostic diagnostic = error.diagnostic();
      ir::Node at;
      at.scope = scope_;
      at.source = place().source;
      diagnostic.where.push_back(ir::node_where(graph_, at));
      throw Error(std::move(diagnostic));
    }
    throw;
  }
}

Slot& Interpreter::slot(const torch::jit::Value* value, Env& env) const {
  const auto found = env.find(value);
  T2N_ASSERT(found != env.end(), "the value %", value->debugName(), " is not set");
  return found->second;
}

Interpreter::Slots Interpreter::slots(at::ArrayRef<torch::jit::Value*> values, Env& env) const {
  Slots out;
  out.reserve(values.size());
  for (const torch::jit::Value* value : values) out.push_back(slot(value, env));
  return out;
}

void Interpreter::set_outputs(Node* node, Env& env, Slots values) const {
  T2N_ASSERT(values.size() == node->outputs().size(), node->kind().toQualString(), " gave ",
             values.size(), " results, expected ", node->outputs().size());
  for (size_t i = 0; i < values.size(); ++i) env[node->output(i)] = std::move(values[i]);
}

Interpreter::Slots Interpreter::call(torch::jit::Function& function, Slots arguments) {
  constexpr int kMaxDepth = 500;
  if (++depth_ > kMaxDepth)
    throw Error("trace-limit", "the model calls itself more than 500 levels deep", {},
                "recursion cannot be exported");
  for (size_t i = arguments.size(); i < function.getSchema().arguments().size(); ++i) {
    const auto& default_value = function.getSchema().arguments()[i].default_value();
    T2N_ASSERT(default_value, "argument ", function.getSchema().arguments()[i].name(),
               " is missing");
    arguments.push_back({*default_value, nullptr});
  }
  Slots results;
  auto* graph_function = torch::jit::tryToGraphFunction(function);
  if (graph_function == nullptr) {  // torchbind methods and builtins
    Stack stack;
    for (Slot& argument : arguments) stack.push_back(std::move(argument.value));
    function.run(stack);
    for (c10::IValue& value : stack) results.push_back({std::move(value), nullptr});
  } else {
    const auto graph = graph_function->graph();
    Env env;
    for (size_t i = 0; i < arguments.size(); ++i) env[graph->inputs()[i]] = std::move(arguments[i]);
    callers_.push_back(node_);
    run_block(graph->block(), env);
    callers_.pop_back();
    results = slots(graph->outputs(), env);
  }
  --depth_;
  return results;
}

void Interpreter::run_block(Block* block, Env& env) {
  for (Node* node : block->nodes()) {
    node_ = node;
    run_node(node, env);
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
  const auto copy_input = [&] { set_outputs(node, env, {slot(node->input(0), env)}); };
  switch (node->kind()) {
    case prim::Constant: run_constant(node, env); return true;
    case prim::GetAttr: run_get_attr(node, env); return true;
    case prim::SetAttr: run_set_attr(node, env); return true;
    case prim::CallMethod: run_call_method(node, env); return true;
    case prim::CallFunction: run_call_function(node, env); return true;
    case prim::If: run_if(node, env); return true;
    case prim::Loop: run_loop(node, env); return true;
    case prim::fork: run_fork(node, env); return true;
    case prim::unchecked_cast: copy_input(); return true;
    case prim::Uninitialized: set_outputs(node, env, {Slot{}}); return true;
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
  if (node->kind() == c10::aten::wait) {  // forks run at once: the future is its own result
    copy_input();
    return true;
  }
  if (node->kind() == c10::aten::warn) return true;
  if (is_grad_question(node)) {
    set_outputs(node, env, {{c10::IValue(true), nullptr}});
    return true;
  }
  return false;
}

void Interpreter::run_constant(Node* node, Env& env) {
  if (node->output()->type()->kind() == c10::TypeKind::FunctionType) {
    env[node->output()] = Slot{};
    return;
  }
  const auto value = torch::jit::toIValue(node->output());
  T2N_ASSERT(value, "a constant without value");
  if (value->isTensor()) state_.meets_constant(value->toTensor());
  env[node->output()] = {*value, nullptr};
}

void Interpreter::run_if(Node* node, Env& env) {
  const Slot condition = slot(node->input(0), env);
  const bool taken = condition.value.toBool();
  Block* block = node->blocks()[taken ? 0 : 1];
  Block* other = node->blocks()[taken ? 1 : 0];
  const bool data = condition.shadow && condition.shadow->kind == ShadowInfo::Kind::data;
  if (recorder_ != nullptr && data && !only_raises(other)) {
    if (select_branches(node, condition, env)) return;
    node_ = node;
    if (!accept_guard(condition.shadow)) refuse_branch(node, condition.shadow);
  }
  if (recorder_ != nullptr) {
    check_turn_branch(condition.shadow);
    if (!depends_on_turn(condition.shadow)) note_decision(node, condition.shadow, taken ? 1 : 0);
  }
  run_block(block, env);
  set_outputs(node, env, slots(block->outputs(), env));
}

void Interpreter::run_loop(Node* node, Env& env) {
  if (recorder_ != nullptr && options_.rolled_loops.contains(node)) return run_rolled(node, env);
  const Slot trips = slot(node->input(0), env);
  Slot condition = slot(node->input(1), env);
  Slots carried = slots(node->inputs().slice(2), env);
  Block* body = node->blocks()[0];
  const auto is_data = [](const Slot& s) {
    return s.shadow && s.shadow->kind == ShadowInfo::Kind::data;
  };
  changed_lists_.emplace_back();
  Slots conditions;
  int64_t turn = 0;
  for (;; ++turn) {
    node_ = node;
    if (recorder_ != nullptr && (is_data(trips) || is_data(condition))) {
      const Shadow& shadow = is_data(trips) ? trips.shadow : condition.shadow;
      if (!accept_guard(shadow)) refuse_branch(node, shadow);
    }
    if (turn >= trips.value.toInt()) break;
    conditions.push_back(condition);
    if (!condition.value.toBool()) break;
    env[body->inputs()[0]] = {c10::IValue(turn), nullptr};
    for (size_t i = 0; i < carried.size(); ++i) env[body->inputs()[i + 1]] = carried[i];
    run_block(body, env);
    Slots results = slots(body->outputs(), env);
    condition = results[0];
    carried.assign(results.begin() + 1, results.end());
  }
  const auto lists = std::move(changed_lists_.back());
  changed_lists_.pop_back();
  if (recorder_ != nullptr) {
    note_loop(node, trips, conditions, turn);
    follow_lists(lists, turn, trips);
  }
  set_outputs(node, env, std::move(carried));
}

void Interpreter::run_call_method(Node* node, Env& env) {
  Slots arguments = slots(node->inputs(), env);
  const auto object = object_of(arguments[0]);
  // The object's own type: behind an interface the static one has no code.
  torch::jit::Function& function = object->type()->getMethod(node->s(c10::attr::name));
  const ir::ScopeId outer = scope_;
  if (names_.is_module(*object) && names_.scope(*object) >= 0) scope_ = names_.scope(*object);
  Slots results = call(function, std::move(arguments));
  scope_ = outer;
  node_ = node;
  set_outputs(node, env, std::move(results));
}

void Interpreter::run_call_function(Node* node, Env& env) {
  const auto type = node->input(0)->type()->expect<c10::FunctionType>();
  Slots results = call(*type->function(), slots(node->inputs().slice(1), env));
  node_ = node;
  set_outputs(node, env, std::move(results));
}

void Interpreter::run_fork(Node* node, Env& env) {
  const auto graph = node->g(c10::attr::Subgraph);
  Env inner;
  Slots arguments = slots(node->inputs(), env);
  for (size_t i = 0; i < arguments.size(); ++i) inner[graph->inputs()[i]] = std::move(arguments[i]);
  run_block(graph->block(), inner);
  Slots results = slots(graph->outputs(), inner);
  node_ = node;
  set_outputs(node, env, std::move(results));
}

void Interpreter::run_get_attr(Node* node, Env& env) {
  const auto object = object_of(slot(node->input(0), env));
  const size_t at = object->type()->getAttributeSlot(node->s(c10::attr::name));
  state_.reads_attribute(*object, at);
  set_outputs(node, env, {{object->getSlot(at), nullptr}});
}

/// Torch keeps no place of an assignment to an attribute: it is looked for near the value's.
Place Interpreter::assignment_place(const Node* node) {
  const std::string& name = node->s(c10::attr::name);
  std::vector<const Node*> neighbours = {node->input(1)->node()};
  for (const bool back : {true, false})
    for (const Node* near = node; near->kind() != prim::Return && near->kind() != prim::Param;
         near = back ? near->prev() : near->next())
      neighbours.push_back(near);
  for (const Node* near : neighbours) {
    ir::Source source = sources_.find_assignment(near->sourceRange(), name);
    if (!source.frames.empty()) return {scope_, ir::add_source(graph_, std::move(source))};
  }
  return place();
}

void Interpreter::run_set_attr(Node* node, Env& env) {
  const auto object = object_of(slot(node->input(0), env));
  const size_t at = object->type()->getAttributeSlot(node->s(c10::attr::name));
  const Slot& value = slot(node->input(1), env);
  std::vector<Shadow> shadows = containers_.find(value.value);
  shadows.push_back(value.shadow);
  const bool from_data = std::any_of(shadows.begin(), shadows.end(), [](const Shadow& shadow) {
    return shadow && shadow->kind == ShadowInfo::Kind::data;
  });
  state_.sets_attribute(object, at, assignment_place(node), from_data);
  object->setSlot(at, value.value);
}

void Interpreter::run_with(Node* node, Env& env) {
  const Slot context = slot(node->input(0), env);
  const auto object = object_of(context);
  const bool enter = node->kind() == prim::Enter;
  Slots arguments = {context};
  if (!enter) arguments.resize(4);  // type, value and traceback of no exception
  // `with torch.no_grad()` and its kin change nothing that is recorded.
  Slots results = {Slot{}};
  const bool grad_mode = object->type()->name() && object->type()->name()->qualifiedName().find(
                                                       "grad_mode") != std::string::npos;
  if (!grad_mode)
    results =
        call(object->type()->getMethod(enter ? "__enter__" : "__exit__"), std::move(arguments));
  node_ = node;
  if (!node->outputs().empty()) set_outputs(node, env, std::move(results));
}

}  // namespace t2n::trace
