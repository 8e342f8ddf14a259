// SPDX-License-Identifier: Apache-2.0
// The modules of a model one by one: how a run calls them, and each as a file of its own.
#include <c10/core/InferenceMode.h>

#include <map>
#include <set>
#include <sstream>

#include "src/diag/error.h"
#include "src/extend/own_fragments.h"
#include "src/frontend/load/torch_error.h"
#include "src/frontend/load/warning_relay.h"
#include "src/frontend/record/module_names.h"
#include "src/frontend/run/interpreter.h"
#include "src/frontend/session/inputs.h"
#include "src/frontend/session/session.h"

namespace t2n::trace {
namespace {

/// The paths of all modules below the model.
std::map<const c10::ivalue::Object*, std::string> paths_of(const torch::jit::Module& model) {
  std::map<const c10::ivalue::Object*, std::string> out;
  for (const auto& each : model.named_modules())
    if (!each.name.empty()) out.emplace(each.value._ivalue().get(), each.name);
  return out;
}

/// The arguments of a call, after self. Tensors are copied: the run may write to them.
std::vector<SampleInput> inputs_of(const c10::FunctionSchema& schema, const Values& arguments) {
  std::vector<SampleInput> out;
  for (size_t i = 1; i < std::min(arguments.size(), schema.arguments().size()); ++i) {
    const c10::IValue value = arguments[i].isTensor() && arguments[i].toTensor().defined()
                                  ? c10::IValue(arguments[i].toTensor().clone())
                                  : arguments[i].deepcopy();
    for (SampleInput& leaf : flatten_value(schema.arguments()[i].name(), value))
      out.push_back(std::move(leaf));
  }
  return out;
}

/// The result of a method of a module, run without recording. Errors: `fragment-signature` if it
/// changes its own state.
c10::IValue run_alone(const std::string& method, const Values& arguments, ir::Graph& graph,
                      const ModuleNames& names, SourceMap& sources, const TraceOptions& options) {
  TraceOptions plain;
  plain.native_halves = options.native_halves;
  const ObjectPtr module = arguments.at(0).toObject();
  StateWatch watch(module);
  Interpreter interpreter(graph, names, sources, plain, nullptr, nullptr, watch);
  c10::IValue result =
      interpreter.run_method(module, method, {arguments.begin() + 1, arguments.end()});
  if (watch.wrote())
    throw Error("fragment-signature", "a module that a fragment stands for changes its own state",
                "a fragment has no state", "bind a module without state");
  return result;
}

}  // namespace

/// The arguments must outlive the interpreter.
void Session::bind_modules(Interpreter& interpreter, const ModuleNames& names, ir::Graph& graph,
                           const TraceOptions& options) {
  if (extend::extensions().modules.empty()) return;
  interpreter.bind({loaded_.module, [&](const std::string& method, const Values& arguments) {
                      return run_alone(method, arguments, graph, names, *loaded_.sources, options);
                    }});
}

std::vector<ModuleCall> Session::module_calls(const std::vector<SampleInput>& inputs) {
  const c10::InferenceMode guard;
  limit_memory(inputs);
  const Report none;
  WarningRelay relay(none);
  const c10::WarningUtils::WarningHandlerGuard warnings(&relay);
  const Split samples = split(inputs, false);
  StateWatch watch(model());
  ir::Graph scratch;
  const ModuleNames names(loaded_.module, scratch);
  const BoundInputs bound = bind_inputs(schema(), samples.arguments);
  const TraceOptions options;
  Interpreter interpreter(scratch, names, *loaded_.sources, options, nullptr, nullptr, watch);
  const auto paths = paths_of(loaded_.module);
  std::vector<ModuleCall> out;
  std::set<std::string> seen;
  interpreter.watch_calls(
      [&](const c10::ivalue::Object& module, const std::string& method, const Values& arguments) {
        const auto path = paths.find(&module);
        if (path == paths.end() || method != "forward" || !seen.insert(path->second).second) return;
        const c10::FunctionSchema& called = module.type()->getMethod(method).getSchema();
        out.push_back({path->second, class_name_of(*module.type()), inputs_of(called, arguments)});
      });
  try {
    interpreter.run(loaded_.module, method_, bound.arguments);
  } catch (const Error& error) {
    if (error.code() == ExitCode::timeout || error.diagnostic().id == "memory-limit") throw;
  }
  watch.undo();
  restore();
  return out;
}

std::string Session::saved() const {
  std::ostringstream out;
  try {
    loaded_.module.save(out);
  } catch (const std::exception&) {
    throw Error("forward-failed", cat("LibTorch cannot save a module of the model: ",
                                      first_line(current_torch_message())));
  }
  return out.str();
}

}  // namespace t2n::trace
