// SPDX-License-Identifier: Apache-2.0
// The stack that documents are evaluated on.
#pragma once

#include <pthread.h>

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>

namespace t2n::interp {

/// A thread with a stack of fixed size, so that the limits for nested expressions and fragments do
/// not depend on `ulimit -s`. It serves all runs: a start costs more than most of them.
class DeepStack {
 public:
  /// The process's own: a fork does not have the threads of its parent. Never deleted, as the
  /// thread waits for work until the process ends. Errors: `memory-limit`.
  static DeepStack& of_process();

  /// Returns when `work` has ended. Work may run further work. Errors: those of the work.
  void run(const std::function<void()>& work);

 private:
  DeepStack();
  [[noreturn]] void serve();

  pthread_t thread_{};
  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void()>* work_ = nullptr;
  std::exception_ptr error_;
};

}  // namespace t2n::interp
