// SPDX-License-Identifier: Apache-2.0
// The functions of the interpreter that libt2nnef_torch.so offers to torch-free code.
#include <pthread.h>
#include <unistd.h>

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <system_error>
#include <utility>

#include "src/diag/error.h"
#include "src/frontend/load/convert.h"
#include "src/interp/evaluator.h"

namespace t2n::interp {
namespace {

std::vector<ProgramPort> inputs(const Program& program) { return program.inputs; }
std::vector<ProgramPort> outputs(const Program& program) { return program.outputs; }

/// A thread with a stack of fixed size, so that the limits for nested expressions and fragments do
/// not depend on `ulimit -s`. It serves all runs: a start costs more than most of them.
class DeepStack {
 public:
  /// The process's own: a fork does not have the threads of its parent. Never deleted, as the
  /// thread waits for work until the process ends. Errors: `memory-limit`.
  static DeepStack& of_process() {
    static DeepStack* stack = nullptr;
    static pid_t owner = 0;
    if (owner != ::getpid()) {
      stack = new DeepStack;
      owner = ::getpid();
    }
    return *stack;
  }

  /// Returns when `work` has ended. Errors: those of the work.
  void run(const std::function<void()>& work) {
    if (pthread_equal(pthread_self(), thread_) != 0) return work();
    std::unique_lock lock(mutex_);
    work_ = &work;
    changed_.notify_all();
    changed_.wait(lock, [&] { return work_ == nullptr; });
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }

 private:
  DeepStack() {
    constexpr size_t kStack = size_t{256} << 20;  // reserved; memory is used as needed
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, kStack);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    const int failure = pthread_create(
        &thread_, &attributes,
        [](void* stack) -> void* {
          static_cast<DeepStack*>(stack)->serve();
          return nullptr;
        },
        this);
    pthread_attr_destroy(&attributes);
    if (failure != 0)
      throw Error("memory-limit", "cannot start a thread to run the model",
                  std::generic_category().message(failure),
                  "raise the limits that `ulimit -a` shows");
  }

  [[noreturn]] void serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return work_ != nullptr; });
      try {
        (*work_)();
      } catch (...) {
        error_ = std::current_exception();
      }
      work_ = nullptr;
      changed_.notify_all();
    }
  }

  pthread_t thread_{};
  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void()>* work_ = nullptr;
  std::exception_ptr error_;
};

std::vector<ir::Tensor> run_to(Program& program, const std::vector<ir::Tensor>& inputs,
                               const std::vector<std::string>& output_names) {
  Tensors tensors;
  for (const ir::Tensor& input : inputs) tensors.push_back(trace::to_torch(input));
  std::vector<ir::Tensor> out;
  DeepStack::of_process().run([&] {
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
