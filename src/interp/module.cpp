// SPDX-License-Identifier: Apache-2.0
// The functions of the interpreter that libt2nnef_torch.so offers to torch-free code.
#include <pthread.h>

#include <exception>
#include <functional>
#include <system_error>

#include "src/diag/error.h"
#include "src/frontend/load/convert.h"
#include "src/interp/evaluator.h"

namespace t2n::interp {
namespace {

std::vector<ProgramPort> inputs(const Program& program) { return program.inputs; }
std::vector<ProgramPort> outputs(const Program& program) { return program.outputs; }

/// Runs `work` on a stack of fixed size, so that the limits for nested expressions and fragments do
/// not depend on `ulimit -s`.   Errors: those of the work; `memory-limit`.
void on_own_stack(const std::function<void()>& work) {
  constexpr size_t kStack = size_t{256} << 20;  // reserved; memory is used as needed
  struct Job {
    const std::function<void()>& work;
    std::exception_ptr error;
  } job{work, nullptr};
  const auto body = [](void* argument) -> void* {
    auto* const task = static_cast<Job*>(argument);
    try {
      task->work();
    } catch (...) {
      task->error = std::current_exception();
    }
    return nullptr;
  };
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStack);
  pthread_t thread{};
  const int failure = pthread_create(&thread, &attributes, body, &job);
  pthread_attr_destroy(&attributes);
  if (failure != 0)
    throw Error("memory-limit", "cannot start a thread to run the model",
                std::generic_category().message(failure),
                "raise the limits that `ulimit -a` shows");
  pthread_join(thread, nullptr);
  if (job.error) std::rethrow_exception(job.error);
}

std::vector<ir::Tensor> run_to(Program& program, const std::vector<ir::Tensor>& inputs,
                               const std::vector<std::string>& output_names) {
  Tensors tensors;
  for (const ir::Tensor& input : inputs) tensors.push_back(trace::to_torch(input));
  std::vector<ir::Tensor> out;
  on_own_stack([&] {
    for (const at::Tensor& tensor : DocumentEvaluator(program).run(tensors, output_names))
      out.push_back(trace::copy(tensor));
  });
  return out;
}

std::vector<ir::Tensor> run(Program& program, const std::vector<ir::Tensor>& inputs) {
  return run_to(program, inputs, program.document.graph.results);
}

void reset(Program& program) {
  program.memory.clear();
  program.called.clear();
}

}  // namespace
}  // namespace t2n::interp

extern "C" __attribute__((visibility("default"))) const t2n::interp::InterpModule*
t2n_interp_module() {
  namespace interp = t2n::interp;
  static const interp::InterpModule module = {interp::load_program, interp::inputs, interp::outputs,
                                              interp::run,          interp::run_to, interp::reset};
  return &module;
}
