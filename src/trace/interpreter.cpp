#include "src/trace/interpreter.h"

#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/constants.h>

#include <algorithm>
#include <utility>

#include "src/diag/error.h"
#include "src/trace/allowed.h"
#include "src/trace/mode_rules.h"
#include "src/trace/nesting.h"
#include "src/trace/operators.h"
#include "src/trace/slots.h"
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

bool is_grad_question(const Node* node) {
  static const auto is_grad_enabled = c10::Symbol::fromQualString("aten::is_grad_enabled");
  static const auto is_inference = c10::Symbol::fromQualString("aten::is_inference");
  return node->kind() == is_grad_enabled || node->kind() == prim::requires_grad ||
         node->kind() == is_inference;
}

/// Torch's executor rewrites what stands under autocast, to compute in half the precision.
void refuse_autocast(const c10::ivalue::Object& object) {
  const std::string name = object.type()->name() ? object.type()->name()->qualifiedName() : "";
  if (name.find(".autocast_mode.") == std::string::npos) return;
  const auto enabled = object.type()->findAttributeSlot("_enabled");
  if (enabled && !unmarked(object.getSlot(*enabled)).toBool()) return;
  throw Error("unsupported-op", "the model computes under torch.autocast",
              "which operations it makes less exact is decided when torch runs it",
              "save the model without autocast, or convert it with model.half()");
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

Where Interpreter::where() {
  ir::Node at;
  at.scope = scope_;
  at.source = place().source;
  return ir::node_where(graph_, at);
}

c10::IValue Interpreter::run(const torch::jit::Module& module, const std::string& method,
                             const std::vector<c10::IValue>& arguments) {
  Values all = {module._ivalue()};
  all.insert(all.end(), arguments.begin(), arguments.end());
  try {
    const c10::IValue result = method == "forward"
                                   ? run_hooked(module, std::move(all))
                                   : call(module.get_method(method).function(), std::move(all)).at(0);
    check_nesting(result, "unsupported-output", "what the model returns");
    if (recorder_ != nullptr) refuse_open_outputs(result);
    return marks_.without(result);
  } catch (const std::exception&) {
    explain_failure();
  }
}

void Interpreter::run_method(const ObjectPtr& object, const std::string& method,
                             const Values& arguments) {
  Values all = {object};
  all.insert(all.end(), arguments.begin(), arguments.end());
  try {
    call(object->type()->getMethod(method), std::move(all));
  } catch (const std::exception&) {
    explain_failure();
  }
}

/// As torch::jit::Module::operator(): hooks before may replace the arguments, hooks after the result.
/// Those of submodules stand in the code that calls them.
c10::IValue Interpreter::run_hooked(const torch::jit::Module& module, Values arguments) {
  const c10::IValue self = arguments[0];
  for (torch::jit::Function* hook : module.type()->getForwardPreHooks()) {
    const c10::IValue given = c10::ivalue::Tuple::create(Values(arguments.begin() + 1, arguments.end()));
    const c10::IValue made = call(*hook, {self, given}).at(0);
    if (made.isNone()) continue;
    arguments = {self};
    if (made.isTuple())
      arguments.insert(arguments.end(), made.toTupleRef().elements().begin(),
                       made.toTupleRef().elements().end());
    else
      arguments.push_back(made);
  }
  const c10::IValue given = c10::ivalue::Tuple::create(Values(arguments.begin() + 1, arguments.end()));
  c10::IValue result = call(module.get_method("forward").function(), std::move(arguments)).at(0);
  for (torch::jit::Function* hook : module.type()->getForwardHooks()) {
    c10::IValue made = call(*hook, {self, given, result}).at(0);
    if (!made.isNone()) result = std::move(made);
  }
  return result;
}

/// The error on its way, as ours and with its place. What LibTorch says where no operation ran is
/// about values that are not what the code takes them for.
void Interpreter::explain_failure() {
  Diagnostic diagnostic;
  try {
    throw;
  } catch (const t2n::Error& error) {
    diagnostic = error.diagnostic();
  } catch (const std::exception&) {
    diagnostic.id = "forward-failed";
    diagnostic.message = cat("the model's code failed: ", first_line(current_torch_message()));
  }
  if (diagnostic.where.empty()) {
    ir::Node at;
    at.scope = scope_;
    at.source = place().source;
    diagnostic.where.push_back(ir::node_where(graph_, at));
  }
  throw Error(std::move(diagnostic));
}

/// How many outputs there are, and which, must not follow from data or from a dynamic size.
void Interpreter::refuse_open_outputs(const c10::IValue& result) {
  const Mark mark = marks_.reach(result);
  if (is_data(mark))
    throw Error("data-dependent-value", "what the model returns follows from a tensor's values",
                cat("how many tensors there are, or a number among them, comes from ", mark->origin,
                    "; a file would hold the result of this one run"),
                "return tensors, always as many");
  note_number(node_, mark, c10::IValue("of results"));
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
  for (const torch::jit::Value* each : values) out.push_back(value(each, env));
  return out;
}

Interpreter::Values Interpreter::take(Node* node, Env& env) {
  Values out = values(node->inputs(), env);
  for (const torch::jit::Value* ended : liveness_.ends_at(node)) env.erase(ended);
  return out;
}

/// The results of a block, which only the node around it reads.
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

Interpreter::Values Interpreter::call(torch::jit::Function& function, Values arguments) {
  constexpr int kMaxDepth = 500;
  if (++depth_ > kMaxDepth)
    throw Error("trace-limit", "the model calls itself more than 500 levels deep", {},
                "recursion cannot be exported");
  for (size_t i = arguments.size(); i < function.getSchema().arguments().size(); ++i) {
    const auto& default_value = function.getSchema().arguments()[i].default_value();
    if (!default_value)
      throw Error("forward-failed", cat("the argument ",
                                        quoted(function.getSchema().arguments()[i].name()),
                                        " of ", function.name(), " is missing"));
    arguments.push_back(*default_value);
  }
  Values results;
  auto* graph_function = torch::jit::tryToGraphFunction(function);
  if (graph_function == nullptr) {  // methods of classes that are implemented in C++
    if (!is_allowed_method(function.qualname().qualifiedName()))
      throw Error("denied-operator",
                  cat("the model calls ", quoted(function.qualname().qualifiedName())),
                  "it is implemented in C++, and not among the classes that are known",
                  "remove the call from the model and save it again");
    const Mark mark = marks_.reach_all(arguments);
    for (const c10::IValue& argument : arguments) results.push_back(marks_.without(argument));
    function.run(results);
    for (c10::IValue& each : results) each = marks_.tainted(each, mark, function.name());
  } else {
    const auto graph = graph_function->graph();
    Env env;
    for (size_t i = 0; i < arguments.size(); ++i)
      if (graph->inputs()[i]->hasUses()) env[graph->inputs()[i]] = std::move(arguments[i]);
    arguments.clear();
    callers_.push_back(node_);
    const std::string caller = std::exchange(function_, function.qualname().qualifiedName());
    run_block(graph->block(), env);
    function_ = caller;
    callers_.pop_back();
    results = values(graph->outputs(), env);
  }
  --depth_;
  return results;
}

void Interpreter::run_block(Block* block, Env& env) {
  for (Node* node : block->nodes()) {
    node_ = node;
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
                                          " that the code takes it for"));
      copy_input();
      return true;
    case prim::unchecked_unwrap_optional:
    case c10::aten::_unwrap_optional: run_unwrap(node, env); return true;
    case prim::Uninitialized: set_outputs(node, env, {c10::IValue()}); return true;
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
  // Forks run at once, a future is its own result; x.data is the same memory without a gradient.
  if (node->kind() == c10::aten::wait || node->kind() == data) {
    copy_input();
    return true;
  }
  if (node->kind() == c10::aten::warn) return true;
  if (is_grad_question(node)) {
    set_outputs(node, env, {grad_answer(node, env)});
    return true;
  }
  return false;
}

void Interpreter::run_constant(Node* node, Env& env) {
  if (node->output()->type()->kind() == c10::TypeKind::FunctionType) {
    env[node->output()] = c10::IValue();
    return;
  }
  const auto value = torch::jit::toIValue(node->output());
  T2N_ASSERT(value, "a constant without value");
  if (value->isTensor()) state_.meets_constant(value->toTensor());
  env[node->output()] = *value;
}

void Interpreter::run_if(Node* node, Env& env) {
  const c10::IValue condition = value(node->input(0), env);
  const Mark mark = mark_of(condition);
  const bool taken = unmarked(condition).toBool();
  Block* block = node->blocks()[taken ? 0 : 1];
  Block* other = node->blocks()[taken ? 1 : 0];
  if (is_data(mark) && !only_raises(other)) {
    if (select_branches(node, mark, env)) return;
    node_ = node;
    if (!accept_guard(mark)) refuse_branch(node, mark);
  }
  check_turn_branch(mark);
  const size_t noted = decisions_.size();
  if (!depends_on_turn(mark)) note_decision(node, mark, taken ? 1 : 0);
  if (decisions_.size() > noted) decisions_.back().is_guard = only_raises(other);
  run_block(block, env);
  set_outputs(node, env, take_results(block, env));
}

void Interpreter::run_loop(Node* node, Env& env) {
  if (recorder_ != nullptr && options_.rolled_loops.contains(node)) return run_rolled(node, env);
  const c10::IValue trips = value(node->input(0), env);
  c10::IValue condition = value(node->input(1), env);
  Values carried = values(node->inputs().slice(2), env);
  Block* body = node->blocks()[0];
  changed_lists_.emplace_back();
  Values conditions;
  int64_t turn = 0;
  for (;; ++turn) {
    node_ = node;
    for (const Mark& mark : {mark_of(trips), mark_of(condition)})
      if (is_data(mark) && !accept_guard(mark)) refuse_branch(node, mark);
    if (turn >= unmarked(trips).toInt()) break;
    conditions.push_back(condition);
    if (!unmarked(condition).toBool()) break;
    env[body->inputs()[0]] = c10::IValue(turn);
    for (size_t i = 0; i < carried.size(); ++i)
      env[body->inputs()[i + 1]] = std::move(carried[i]);
    run_block(body, env);
    Values results = take_results(body, env);
    condition = results[0];
    carried.assign(results.begin() + 1, results.end());
  }
  const auto lists = std::move(changed_lists_.back());
  changed_lists_.pop_back();
  note_loop(node, trips, conditions, turn);
  follow_lists(lists, turn, mark_of(trips));
  set_outputs(node, env, std::move(carried));
}

void Interpreter::run_call_method(Node* node, Env& env) {
  Values arguments = take(node, env);
  const auto object = arguments[0].toObject();
  // The object's own type: behind an interface the static one has no code.
  torch::jit::Function& function = object->type()->getMethod(node->s(c10::attr::name));
  const ir::ScopeId outer = scope_;
  if (names_.is_module(*object) && names_.scope(*object) >= 0) scope_ = names_.scope(*object);
  Values results = call(function, std::move(arguments));
  scope_ = outer;
  node_ = node;
  set_outputs(node, env, std::move(results));
}

void Interpreter::run_call_function(Node* node, Env& env) {
  const auto type = node->input(0)->type()->expect<c10::FunctionType>();
  Values arguments = take(node, env);
  arguments.erase(arguments.begin());
  Values results = call(*type->function(), std::move(arguments));
  node_ = node;
  set_outputs(node, env, std::move(results));
}

void Interpreter::run_fork(Node* node, Env& env) {
  const auto graph = node->g(c10::attr::Subgraph);
  Env inner;
  Values arguments = values(node->inputs(), env);
  for (size_t i = 0; i < arguments.size(); ++i) inner[graph->inputs()[i]] = std::move(arguments[i]);
  run_block(graph->block(), inner);
  Values results = values(graph->outputs(), inner);
  node_ = node;
  set_outputs(node, env, std::move(results));
}

void Interpreter::run_get_attr(Node* node, Env& env) {
  const auto object = value(node->input(0), env).toObject();
  const size_t at = object->type()->getAttributeSlot(node->s(c10::attr::name));
  state_.reads_attribute(*object, at);
  c10::IValue held = object->getSlot(at);
  if (held.isBool() && held.toBool() && node->s(c10::attr::name) == "training" &&
      names_.is_module(*object)) {
    warn_of_training();
    held = !is_inference_module(*object);
  }
  set_outputs(node, env, {std::move(held)});
}

void Interpreter::warn_of_training() {
  if (std::exchange(said_training_, true) || !options_.report) return;
  options_.report(Diagnostic{
      .severity = Severity::warning,
      .id = "model-training",
      .message = "the model was saved in training mode",
      .where = {},
      .details = {},
      .why = "torch's dropout and batch norm are exported as in inference, all else as in this mode",
      .help = "call model.eval() before saving, unless this is meant"});
}

/// Torch's own modules ask this to choose between ways that compute the same; answered as outside
/// of inference, they keep fused operators (`_native_multi_head_attention`) out of the graph. All
/// else hears what is true in inference, where only parameters want gradients.
c10::IValue Interpreter::grad_answer(Node* node, const Env& env) {
  if (node->kind() != prim::requires_grad)
    return is_torch_function(function_) &&
           node->kind() != c10::Symbol::fromQualString("aten::is_inference");
  if (is_torch_function(function_)) return true;
  const at::Tensor& tensor = value(node->input(0), env).toTensor();
  return tensor.defined() && tensor.requires_grad();
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
  const auto object = value(node->input(0), env).toObject();
  const size_t at = object->type()->getAttributeSlot(node->s(c10::attr::name));
  const c10::IValue& held = value(node->input(1), env);
  state_.sets_attribute(object, at, assignment_place(node), is_data(marks_.reach(held)));
  note_write(object);
  object->setSlot(at, held);
  require_tree(*object->type()->getAttribute(at), held);
}

/// After something took a value of this type: one that contains itself, or has endless levels, is
/// nothing that can be followed. What contains itself does so through the value that was put in.
void Interpreter::require_tree(const c10::Type& type, const c10::IValue& held) {
  const bool has_inner =
      held.isList() || held.isTuple() || held.isGenericDict() || held.isObject();
  if (!has_inner || !may_nest(type)) return;
  constexpr size_t kMost = 20'000'000;
  constexpr size_t kLeast = 200;  // so that there are at most 100'000 such values
  nested_ += std::max(kLeast, check_nesting(held, "trace-limit", "a value of the model"));
  if (nested_ > kMost)
    throw Error("trace-limit", "the model puts values inside of values without end",
                cat("more than ", kMost, " of them were looked at"));
}

void Interpreter::run_unwrap(Node* node, Env& env) {
  c10::IValue held = value(node->input(0), env);
  if (held.isNone())
    throw Error("forward-failed", "None is used where the model says that there is a value", {},
                "do the sample inputs fit the model? `t2nnef inspect` shows its arguments");
  set_outputs(node, env, {std::move(held)});
}

void Interpreter::run_with(Node* node, Env& env) {
  const c10::IValue context = value(node->input(0), env);
  const auto object = context.toObject();
  const bool enter = node->kind() == prim::Enter;
  refuse_autocast(*object);
  Values arguments = {context};
  if (!enter) arguments.resize(4);  // type, value and traceback of no exception
  // `with torch.no_grad()` and its kin change nothing that is recorded.
  Values results = {c10::IValue()};
  const bool grad_mode = object->type()->name() && object->type()->name()->qualifiedName().find(
                                                       "grad_mode") != std::string::npos;
  if (!grad_mode)
    results =
        call(object->type()->getMethod(enter ? "__enter__" : "__exit__"), std::move(arguments));
  node_ = node;
  if (!node->outputs().empty()) set_outputs(node, env, std::move(results));
}

}  // namespace t2n::trace
