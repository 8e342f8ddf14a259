// SPDX-License-Identifier: Apache-2.0
// Running a model without recording it: in our interpreter, and in LibTorch's own executor.
#include <ATen/Context.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/api/function_impl.h>

#include <algorithm>
#include <set>

#include "ir/op_traits.h"
#include "src/diag/error.h"
#include "src/diag/printable.h"
#include "src/frontend/load/convert.h"
#include "src/frontend/load/warning_relay.h"
#include "src/frontend/record/module_names.h"
#include "src/frontend/run/interpreter.h"
#include "src/frontend/run/range_watch.h"
#include "src/frontend/session/inputs.h"
#include "src/frontend/session/operator_log.h"
#include "src/frontend/session/oracle.h"
#include "src/frontend/session/session.h"

namespace t2n::trace {
namespace {

/// The last line of an executor's message: it is a traceback that ends with the reason.
std::string last_line(const std::string& text) {
  const size_t end = text.find_last_not_of(" \n\t");
  if (end == std::string::npos) return {};
  const size_t begin = text.rfind('\n', end);
  return first_line(text.substr(begin == std::string::npos ? 0 : begin + 1,
                                end - (begin == std::string::npos ? 0 : begin + 1) + 1));
}

/// While an object lives, LibTorch uses this library's kernels for quantised layers.
class QuantEngine {
 public:
  explicit QuantEngine(at::QEngine engine) : before_(at::globalContext().qEngine()) {
    const std::vector<at::QEngine>& engines = at::globalContext().supportedQEngines();
    if (std::find(engines.begin(), engines.end(), engine) == engines.end())
      throw Error("forward-failed", "LibTorch was built without this engine");
    at::globalContext().setQEngine(engine);
  }
  ~QuantEngine() { at::globalContext().setQEngine(before_); }
  QuantEngine(const QuantEngine&) = delete;
  QuantEngine& operator=(const QuantEngine&) = delete;

 private:
  at::QEngine before_;
};

}  // namespace

std::vector<ir::Tensor> Session::run_plain(const std::vector<SampleInput>& arguments,
                                           StateWatch& watch, bool native_halves,
                                           const Visit& visit) {
  ir::Graph scratch;
  const ModuleNames names(loaded_.module, scratch);
  const BoundInputs bound = bind_inputs(schema(), arguments);
  TraceOptions options;
  options.native_halves = native_halves;
  Interpreter interpreter(scratch, names, *loaded_.sources, options, nullptr, nullptr, watch);
  std::optional<OperatorLog> log;
  if (visit)
    log.emplace([&](const std::string& op, uint64_t digest) { visit(interpreter, op, digest); });
  const c10::IValue result = interpreter.run(loaded_.module, method_, bound.arguments);
  log.reset();
  std::vector<ir::Tensor> out;
  for (const FlatOutput& output : flatten_outputs(result)) out.push_back(copy(output.tensor));
  return out;
}

std::vector<ir::Tensor> Session::run_ours(const std::vector<SampleInput>& inputs,
                                          bool native_halves, const Visit& visit) {
  const c10::InferenceMode guard;
  const Split samples = split(inputs, !states_.empty());
  Undo replaced;
  replace_leaves(model(), samples.states, replaced);
  StateWatch watch(model());
  std::vector<ir::Tensor> out = run_plain(samples.arguments, watch, native_halves, visit);
  if (!states_.empty()) {
    const std::vector<Attribute> after = list_attributes(model());
    for (const State& state : states_) out.push_back(copy(tensor_at(after, state.path)));
  }
  watch.undo();
  restore();
  return out;
}

std::vector<InputRange> Session::input_ranges(const std::vector<SampleInput>& inputs,
                                              bool explicit_states) {
  const c10::InferenceMode guard;
  limit_memory(inputs);
  const Report none;  // the trace gives torch's warnings
  WarningRelay relay(none);
  const c10::WarningUtils::WarningHandlerGuard warnings(&relay);
  const Split samples = split(inputs, explicit_states);
  Undo replaced;
  replace_leaves(model(), samples.states, replaced);
  StateWatch watch(model());
  ir::Graph scratch;
  const ModuleNames names(loaded_.module, scratch);
  BoundInputs bound = bind_inputs(schema(), samples.arguments);
  RangeWatch ranges(true);
  for (size_t i = 0; i < bound.tensors.size(); ++i) ranges.add_input(bound.tensors[i], i);
  bound.tensors.clear();  // the run releases its arguments after their last use
  const TraceOptions options;
  Interpreter interpreter(scratch, names, *loaded_.sources, options, nullptr, &ranges, watch);
  std::optional<Error> failure;
  try {
    interpreter.run(loaded_.module, method_, std::move(bound.arguments));
  } catch (const Error& error) {
    // A trace reports other errors of the model.
    if (!ranges.is_over() && error.diagnostic().id == "forward-failed") failure = error;
  }
  watch.undo();
  replaced.run();
  restore();
  if (failure) throw Error(*failure);
  std::vector<InputRange> out;
  const std::vector<std::optional<IntegerRange>> found = ranges.ranges(bound.names.size());
  for (size_t i = 0; i < found.size(); ++i) out.push_back({bound.names[i], found[i]});
  return out;
}

/// As the file stores it: no state of a run reaches the next one.
Loaded Session::load_for_executor(bool unfused) {
  std::function<std::optional<Loaded>()>& read_again = read_again_[unfused];
  std::optional<Loaded> again = read_again ? read_again() : std::nullopt;
  Loaded fresh = again ? *std::move(again) : load_();
  read_again = fresh.again;
  return fresh;
}

std::vector<ir::Tensor> Session::run_torch(const std::vector<SampleInput>& inputs, bool unfused) {
  Loaded fresh = load_for_executor(unfused);
  torch::jit::Function& function = fresh.module.get_method(method_).function();
  adapt_for_executor(fresh.module, unfused);
  const Split samples = split(inputs, !states_.empty());
  Undo replaced;
  replace_leaves(fresh.module._ivalue(), samples.states, replaced);
  const BoundInputs bound = bind_inputs(function.getSchema(), samples.arguments);
  c10::IValue result;
  try {
    result = run_in_executor(fresh.module, method_, bound.arguments);
  } catch (const c10::NotImplementedError&) {
    throw Error("unsupported-dtype",
                cat("LibTorch has no kernel: ", last_line(current_torch_message())));
  } catch (const std::exception&) {
    throw Error("forward-failed",
                cat("LibTorch cannot run the model: ", last_line(current_torch_message())), {},
                "do the sample inputs fit the model? `t2nnef inspect` shows its arguments");
  }
  std::vector<ir::Tensor> out;
  for (const FlatOutput& output : flatten_outputs(result)) out.push_back(copy(output.tensor));
  if (states_.empty()) return out;
  const std::vector<Attribute> after = list_attributes(fresh.module._ivalue());
  for (const State& state : states_) out.push_back(copy(tensor_at(after, state.path)));
  return out;
}

std::vector<ir::Tensor> Session::run(const std::vector<SampleInput>& inputs, Executor executor) {
  limit_memory(inputs);
  const Report none;
  WarningRelay relay(none);
  const c10::WarningUtils::WarningHandlerGuard warnings(&relay);
  const auto run_in_engine = [&](at::QEngine engine) {
    const QuantEngine chosen(engine);
    return run_torch(inputs, false);
  };
  switch (executor) {
    case Executor::torch: return run_torch(inputs, false);
    case Executor::torch_unfused: return run_torch(inputs, true);
    case Executor::torch_onednn: return run_in_engine(at::QEngine::ONEDNN);
    case Executor::torch_fbgemm: return run_in_engine(at::QEngine::FBGEMM);
    case Executor::torch_qnnpack: return run_in_engine(at::QEngine::QNNPACK);
    case Executor::ours: return run_ours(inputs, false);
    case Executor::ours_native: return run_ours(inputs, true);
  }
  internal_error(__FILE__, __LINE__, "unknown executor");
}

FirstDifference Session::first_difference(const std::vector<SampleInput>& inputs, Executor torch,
                                          Executor ours) {
  std::set<std::pair<std::string, uint64_t>> theirs;
  {
    const OperatorLog log(
        [&](const std::string& op, uint64_t digest) { theirs.emplace(op, digest); });
    run(inputs, torch);
  }
  FirstDifference out;
  run_ours(inputs, ours == Executor::ours_native,
           [&](Interpreter& interpreter, const std::string& op, uint64_t digest) {
             if (!out.op.empty() || has_trait(ir::op_short_name(op), ir::OpTrait::uninitialised) ||
                 theirs.contains({op, digest}))
               return;
             out.op = op;
             out.where = interpreter.where();
           });
  return out;
}

}  // namespace t2n::trace
