// SPDX-License-Identifier: Apache-2.0
// Calls of methods and functions, with hooks and forks, and the errors of calls that fail.
#include <torch/csrc/jit/api/function_impl.h>

#include <algorithm>
#include <utility>

#include "src/diag/error.h"
#include "src/diag/printable.h"
#include "src/frontend/load/torch_error.h"
#include "src/frontend/run/interpreter.h"
#include "src/frontend/run/mode_rules.h"
#include "src/frontend/state/observers.h"
#include "src/model_file/allowed.h"

namespace t2n::trace {

using torch::jit::Node;

c10::IValue Interpreter::run_method(const ObjectPtr& object, const std::string& method,
                                    const Values& arguments) {
  Values all = {object};
  all.insert(all.end(), arguments.begin(), arguments.end());
  try {
    const Values results = call(object->type()->getMethod(method), std::move(all));
    return results.empty() ? c10::IValue() : marks_.without(results[0]);
  } catch (const std::exception&) {
    explain_failure();
  }
}

/// Does the same as torch::jit::Module::operator(): pre-hooks may replace the arguments, hooks the
/// result. Hooks of submodules are part of the code that calls them.
c10::IValue Interpreter::run_hooked(const torch::jit::Module& module, Values arguments) {
  const c10::IValue self = arguments[0];
  for (torch::jit::Function* hook : module.type()->getForwardPreHooks()) {
    const c10::IValue inputs =
        c10::ivalue::Tuple::create(Values(arguments.begin() + 1, arguments.end()));
    const c10::IValue returned = call(*hook, {self, inputs}).at(0);
    if (returned.isNone()) continue;
    arguments = {self};
    if (returned.isTuple())
      arguments.insert(arguments.end(), returned.toTupleRef().elements().begin(),
                       returned.toTupleRef().elements().end());
    else
      arguments.push_back(returned);
  }
  c10::IValue inputs;
  if (!module.type()->getForwardHooks().empty())  // else arguments live until they are read last
    inputs = c10::ivalue::Tuple::create(Values(arguments.begin() + 1, arguments.end()));
  c10::IValue result = call(module.get_method("forward").function(), std::move(arguments)).at(0);
  for (torch::jit::Function* hook : module.type()->getForwardHooks()) {
    c10::IValue returned = call(*hook, {self, inputs, result}).at(0);
    if (!returned.isNone()) result = std::move(returned);
  }
  return result;
}

/// Rethrows the current exception as ours, with its location. If no operation was running,
/// LibTorch's message is about a value that does not have the type that the code declares.
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
  throw Error(explained(std::move(diagnostic)));
}

/// The diagnostic with the current location, unless it has one.
Diagnostic Interpreter::explained(Diagnostic diagnostic) {
  if (!diagnostic.where.empty()) return diagnostic;
  diagnostic.where.push_back(position_.where());
  if (is_observer(diagnostic.where.back())) diagnostic.help = kSwitchOff;
  return diagnostic;
}

Values Interpreter::call(torch::jit::Function& function, Values arguments) {
  constexpr int kMaxDepth = 500;
  if (++position_.calls.depth > kMaxDepth)
    throw Error("trace-limit", "the model calls itself more than 500 levels deep", {},
                "recursion cannot be exported");
  for (size_t i = arguments.size(); i < function.getSchema().arguments().size(); ++i) {
    const auto& default_value = function.getSchema().arguments()[i].default_value();
    if (!default_value)
      throw Error("forward-failed",
                  cat("the argument ", quoted(function.getSchema().arguments()[i].name()), " of ",
                      function.name(), " is missing"));
    arguments.push_back(*default_value);
  }
  Values results;
  auto* graph_function = torch::jit::tryToGraphFunction(function);
  if (graph_function == nullptr) {  // a method of a class that is implemented in C++
    if (!model_file::is_allowed_method(function.qualname().qualifiedName()))
      throw Error("denied-operator",
                  cat("the model calls ", quoted(function.qualname().qualifiedName())),
                  "it is implemented in C++ and not a known class",
                  "remove the call from the model and save it again");
    const Mark mark = marks_.reach_all(arguments);
    for (const c10::IValue& argument : arguments) results.push_back(marks_.without(argument));
    function.run(results);
    for (c10::IValue& each : results) each = marks_.tainted(each, mark, function.name());
  } else {
    const auto graph = graph_function->graph();
    Environment env(decisions_);
    for (size_t i = 0; i < arguments.size(); ++i)
      if (graph->inputs()[i]->hasUses()) env[graph->inputs()[i]] = std::move(arguments[i]);
    arguments.clear();
    position_.calls.callers.push_back(position_.node);
    const std::string caller =
        std::exchange(position_.calls.function, function.qualname().qualifiedName());
    run_block(graph->block(), env);
    position_.calls.function = caller;
    position_.calls.callers.pop_back();
    results = env.all(graph->outputs());
    if (is_causal_detection(function.qualname().qualifiedName()))
      if (const Mark mark = marks_.of(results.at(0)); mark && !is_data(mark)) results[0] = false;
  }
  --position_.calls.depth;
  fused_.end_call();
  return results;
}

void Interpreter::run_call_method(Node* node, Environment& env) {
  Values arguments = take(node, env);
  const auto object = arguments[0].toObject();
  // The type of the object itself: an interface type has no code.
  torch::jit::Function& function = object->type()->getMethod(node->s(c10::attr::name));
  if (on_call_ && names_.is_module(*object)) {
    Values plain;
    for (const c10::IValue& argument : arguments) plain.push_back(marks_.without(argument));
    on_call_(*object, node->s(c10::attr::name), plain);
  }
  const ir::ScopeId outer = position_.calls.scope;
  if (names_.is_module(*object) && names_.scope(*object) >= 0)
    position_.calls.scope = names_.scope(*object);
  const bool is_bound =
      bound_modules_ && bound_modules_->contains(*object, node->s(c10::attr::name));
  Values results = is_bound ? run_bound(node, arguments) : call(function, std::move(arguments));
  position_.calls.scope = outer;
  position_.node = node;
  env.set_outputs(node, std::move(results));
}

/// Records the call of a module as one operation, whose results are the module's own.
Values Interpreter::run_bound(Node* node, const Values& arguments) {
  Values plain;
  for (const c10::IValue& argument : arguments) plain.push_back(marks_.without(argument));
  BoundCall bound = bound_modules_->call(node->s(c10::attr::name), arguments, plain);
  Values results = tensors_.run(node, bound.operation, std::move(bound.operands));
  if (bound.is_tuple) results = {c10::ivalue::Tuple::create(std::move(results))};
  return results;
}

void Interpreter::run_call_function(Node* node, Environment& env) {
  const auto type = node->input(0)->type()->expect<c10::FunctionType>();
  Values arguments = take(node, env);
  arguments.erase(arguments.begin());
  Values results = call(*type->function(), std::move(arguments));
  position_.node = node;
  env.set_outputs(node, std::move(results));
}

void Interpreter::run_fork(Node* node, Environment& env) {
  const auto graph = node->g(c10::attr::Subgraph);
  Environment inner(decisions_);
  Values arguments = env.all(node->inputs());
  for (size_t i = 0; i < arguments.size(); ++i) inner[graph->inputs()[i]] = std::move(arguments[i]);
  run_block(graph->block(), inner);
  Values results = inner.all(graph->outputs());
  position_.node = node;
  env.set_outputs(node, std::move(results));
}

}  // namespace t2n::trace
