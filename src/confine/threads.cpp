// SPDX-License-Identifier: Apache-2.0
// Before Linux 7.0 Landlock has no call for all threads, so each thread makes its own, as with
// setuid().
#include "src/confine/threads.h"

#include <dirent.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

namespace t2n::confine {
namespace {

using Clock = std::chrono::steady_clock;

std::atomic<int (*)()> current_work = nullptr;
std::atomic<int> answers = 0;
std::atomic<int> first_error = 0;

void record_error(int error) {
  int none = 0;
  if (error != 0) first_error.compare_exchange_strong(none, error);
}

void on_signal(int /*signal*/) {
  const int before = errno;
  if (auto* const work = current_work.load()) record_error(work());
  ++answers;
  errno = before;
}

/// Records an error if the system does not list the threads.
std::vector<pid_t> threads() {
  std::vector<pid_t> out;
  DIR* const folder = ::opendir("/proc/self/task");
  if (folder == nullptr) {
    record_error(errno);
    return out;
  }
  errno = 0;
  while (const dirent* entry = ::readdir(folder))
    if (const int thread = std::atoi(entry->d_name); thread > 0) out.push_back(thread);
  record_error(errno);
  if (out.empty()) record_error(ENOENT);
  ::closedir(folder);
  return out;
}

bool send(pid_t thread, int signal) {
  return ::syscall(SYS_tgkill, ::getpid(), thread, signal) == 0;
}

/// Signals the thread. False if it is alive and does not answer.
bool run_on(pid_t thread) {
  constexpr std::chrono::seconds kMost(10);  // the machine may be busy
  const int before = answers.load();
  if (!send(thread, signal_for_threads())) return errno == ESRCH;
  for (const auto began = Clock::now(); Clock::now() - began < kMost;) {
    if (answers.load() != before || !send(thread, 0)) return true;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  return false;
}

/// Signals threads that were not visited before. False if there are none.
bool run_on_new(std::vector<pid_t>& visited) {
  bool found = false;
  for (const pid_t thread : threads()) {
    if (std::find(visited.begin(), visited.end(), thread) != visited.end()) continue;
    found = true;
    visited.push_back(thread);
    if (!run_on(thread)) record_error(ETIMEDOUT);
  }
  return found && first_error.load() == 0;
}

}  // namespace

int signal_for_threads() { return SIGRTMIN + 6; }

int on_every_thread(int (*work)()) {
  if (const int error = work(); error != 0) return error;
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  struct sigaction before {};
  first_error = 0;
  current_work = work;
  if (::sigaction(signal_for_threads(), &action, &before) != 0) return errno;
  std::vector<pid_t> visited{static_cast<pid_t>(::gettid())};
  while (run_on_new(visited)) {
  }
  ::sigaction(signal_for_threads(), &before, nullptr);
  current_work = nullptr;
  return first_error.load();
}

}  // namespace t2n::confine
