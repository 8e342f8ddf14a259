// SPDX-License-Identifier: Apache-2.0
#include "src/interp/deep_stack.h"

#include <unistd.h>

#include <system_error>
#include <utility>

#include "src/diag/error.h"

namespace t2n::interp {

DeepStack& DeepStack::of_process() {
  static DeepStack* stack = nullptr;
  static pid_t owner = 0;
  if (owner != ::getpid()) {
    stack = new DeepStack;
    owner = ::getpid();
  }
  return *stack;
}

DeepStack::DeepStack() {
  constexpr size_t kStack = size_t{256} << 20;  // reserved; memory is used as needed
  const auto body = [](void* stack) -> void* {
    static_cast<DeepStack*>(stack)->serve();
    return nullptr;
  };
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStack);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  const int failure = pthread_create(&thread_, &attributes, body, this);
  pthread_attr_destroy(&attributes);
  if (failure != 0)
    throw Error("memory-limit", "cannot start a thread to run the model",
                std::generic_category().message(failure),
                "raise the limits that `ulimit -a` shows");
}

void DeepStack::run(const std::function<void()>& work) {
  if (pthread_equal(pthread_self(), thread_) != 0) return work();
  std::unique_lock lock(mutex_);
  work_ = &work;
  changed_.notify_all();
  changed_.wait(lock, [&] { return work_ == nullptr; });
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void DeepStack::serve() {
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

}  // namespace t2n::interp
