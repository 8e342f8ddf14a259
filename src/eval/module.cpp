// SPDX-License-Identifier: Apache-2.0
// The functions that libt2nnef_torch.so exports to torch-free code.
#include <torch/csrc/jit/runtime/print_handler.h>
#include <torch/version.h>

#include <fstream>
#include <iterator>
#include <span>

#include "src/diag/error.h"
#include "src/diag/printable.h"
#include "src/eval/evaluate.h"
#include "src/eval/schema.h"
#include "src/eval/wide.h"
#include "src/frontend/load/allocation.h"
#include "src/frontend/load/code.h"
#include "src/frontend/load/saved_value.h"
#include "src/frontend/load/torch_error.h"
#include "src/frontend/session/inputs.h"
#include "src/frontend/session/open_model.h"
#include "src/frontend/session/session.h"

namespace t2n::trace {
namespace {

std::shared_ptr<Session> load(const std::string& path, const std::string& method) {
  return std::make_shared<Session>([path, method] { return open_model(path, method); }, method);
}

std::shared_ptr<Session> compile(const InlineModel& model) {
  return std::make_shared<Session>([model] { return compile_model(model); }, "forward");
}

ModelInfo describe(const Session& session) { return session.describe(); }

Traced trace_model(Session& session, const std::vector<SampleInput>& inputs,
                   const TraceOptions& options) {
  return session.trace(inputs, options);
}

Survey survey_model(Session& session, const std::vector<SampleInput>& inputs,
                    const TraceOptions& options) {
  return session.survey(inputs, options);
}

std::vector<InputRange> input_ranges(Session& session, const std::vector<SampleInput>& inputs,
                                     bool explicit_states) {
  return session.input_ranges(inputs, explicit_states);
}

std::vector<ir::Tensor> run(Session& session, const std::vector<SampleInput>& inputs) {
  return session.run(inputs, Executor::ours);
}

std::vector<ir::Tensor> run_in(Session& session, const std::vector<SampleInput>& inputs,
                               Executor executor) {
  return session.run(inputs, executor);
}

FirstDifference first_difference(Session& session, const std::vector<SampleInput>& inputs,
                                 Executor torch, Executor ours) {
  return session.first_difference(inputs, torch, ours);
}

std::vector<ModuleCall> module_calls(Session& session, const std::vector<SampleInput>& inputs) {
  return session.module_calls(inputs);
}

/// Errors: `model-format` if there is no such module.
torch::jit::Module module_at(torch::jit::Module model, const std::string& path) {
  for (const auto& each : model.named_modules())
    if (each.name == path) return each.value;
  throw Error("model-format", cat("the model has no module ", quoted(path)));
}

std::shared_ptr<Session> load_module(const std::string& path, const std::string& module) {
  const auto load = [path, module] {
    Loaded out = open_model(path, "forward");
    out.module = module_at(out.module, module);
    out.traced_inputs.reset();
    return out;
  };
  return std::make_shared<Session>(load, "forward");
}

std::string saved(Session& session) { return session.saved(); }

void verify(const Session& session, bool entire) { session.verify(entire); }

std::vector<SampleInput> read_saved(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error("input-unreadable", cat("cannot open the inputs ", quoted(path)));
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file),
                                std::istreambuf_iterator<char>()};
  try {
    const c10::IValue value = read_saved_value(bytes, path);
    if (value.isTensor()) return flatten_value("input_0", value);
    return flatten_value(value.isGenericDict() ? "" : "input", value);
  } catch (const std::exception&) {
    throw Error("input-unreadable", cat("cannot read the inputs ", quoted(path)),
                first_line(current_torch_message()),
                "save a tensor, or a list, tuple or dict of tensors, with torch.save: of a "
                "NamedTuple or another object of a class, tuple(value) or its values by name");
  }
}

}  // namespace
}  // namespace t2n::trace

extern "C" __attribute__((visibility("default"))) const t2n::trace::TorchModule*
t2n_torch_module() {
  namespace trace = t2n::trace;
  trace::watch_allocations();
  // The model's own output is dropped: standard output is for results.
  torch::jit::setPrintHandler([](const std::string& /*text*/) {});
  static const trace::TorchModule module = {TORCH_VERSION,
                                            trace::load,
                                            trace::read_model_code,
                                            trace::compile,
                                            trace::describe,
                                            trace::trace_model,
                                            trace::survey_model,
                                            trace::input_ranges,
                                            trace::run,
                                            trace::run_in,
                                            trace::first_difference,
                                            trace::module_calls,
                                            trace::load_module,
                                            trace::saved,
                                            trace::verify,
                                            t2n::eval::torch_evaluator,
                                            t2n::eval::native_evaluator,
                                            t2n::eval::wide_evaluator,
                                            t2n::eval::find_schema,
                                            t2n::eval::operators_without_tensors,
                                            trace::read_saved};
  return &module;
}
