// SPDX-License-Identifier: Apache-2.0
// Signal handlers that neither allocate nor lock.
#include "cli/process.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <thread>

#include "nnef_writer/temporary.h"
#include "src/diag/diagnostic.h"
#include "src/limits/watch.h"

namespace t2n::cli {
namespace {

void on_interrupt(int /*signal*/) {
  limits::end_now({.id = "interrupted", .message = "stopped by a signal"});
}

void on_bus_error(int /*signal*/) {
  limits::end_now({.id = "model-corrupt",
                   .message = "the model file changed while it was read",
                   .help = "try again when no other program writes to it"});
}

#if !defined(__SANITIZE_ADDRESS__)
/// On a crash, removes temporaries and prints a message.
void on_crash(int signal) {
  const char* const name = sigabbrev_np(signal);
  std::array<char, 40> message;
  std::snprintf(message.data(), message.size(), "crashed (SIG%s)", name == nullptr ? "?" : name);
  limits::end_now({.id = "internal",
                   .message = message.data(),
                   .why = "this is a bug in t2nnef or in LibTorch",
                   .help = "please report it with the command you ran"});
}

/// Uses a separate stack, as the main one may have overflowed.
void handle_crashes() {
  static std::array<char, 1 << 16> stack;
  const stack_t other{.ss_sp = stack.data(), .ss_flags = 0, .ss_size = stack.size()};
  sigaltstack(&other, nullptr);
  struct sigaction action {};
  action.sa_handler = on_crash;
  action.sa_flags = SA_ONSTACK;
  for (const int signal : {SIGSEGV, SIGFPE, SIGILL, SIGABRT}) sigaction(signal, &action, nullptr);
}
#else
void handle_crashes() {}  // the sanitizer reports more
#endif

/// Signals that were ignored at the start stay ignored, as with `nohup`.
void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  struct sigaction before {};
  if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
    sigaction(signal, &action, nullptr);
}

/// For threads that are started from now on, including OpenMP's.
void set_stack_of_threads(size_t bytes) {
  setenv("OMP_STACKSIZE", "8M", 0);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, bytes);
  pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
}

}  // namespace

void handle_signals() {
  limits::set_cleanup(nnef::remove_temporaries);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) handle(signal, on_interrupt);
  handle_crashes();
  handle(SIGBUS, on_bus_error);
  for (const int signal : {SIGPIPE, SIGXFSZ}) ::signal(signal, SIG_IGN);  // writes report it
}

void on_enough_stack(const std::function<void()>& work) {
  constexpr size_t kEnough = size_t{8} << 20;
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= kEnough) return work();
  set_stack_of_threads(kEnough);
  std::thread thread;
  try {
    thread = std::thread(work);
  } catch (const std::system_error&) {
    return work();  // it may be enough
  }
  thread.join();
}

}  // namespace t2n::cli
