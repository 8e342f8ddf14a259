// SPDX-License-Identifier: Apache-2.0
// Everything that end_now() touches is atomic: it may run in a signal handler.
#include "src/limits/watch.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "src/confine/threads.h"
#include "src/diag/error.h"
#include "src/limits/limits.h"

namespace t2n::limits {
namespace {

using Clock = std::chrono::steady_clock;

std::atomic<void (*)() noexcept> cleanup_function = nullptr;
std::atomic<void (*)(const Ending&) noexcept> report_function = nullptr;
std::array<std::atomic<pid_t>, 64> children{};
std::atomic<pid_t> ender = 0;  ///< the thread that ends the process

std::atomic<const char*> current_activity = "starting";
std::atomic<double> stage_seconds = 0;  ///< limit of the stage; 0: none
std::atomic<double> stage_used = 0;
constexpr double kExpired = -1;
std::atomic<double> command_seconds = 0;  ///< of --timeout; 0: none, or kExpired
Clock::time_point began;

constexpr int64_t kShortest = 10, kLongest = 50;  ///< milliseconds between two measurements

void write_text(std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t count = write(STDERR_FILENO, text.data(), text.size());
    if (count <= 0) return;
    text.remove_prefix(count);
  }
}

/// As render_text() does, without allocating.
void write_ending(const Ending& ending) noexcept {
  if (ending.id == "internal")
    write_text("internal error: ");
  else
    for (const std::string_view part :
         {std::string_view("error["), ending.id, std::string_view("]: ")})
      write_text(part);
  write_text(ending.message);
  write_text("\n");
  for (const auto& [label, text] : {std::pair("  why:  ", ending.why), {"  help: ", ending.help}}) {
    if (text.empty()) continue;
    write_text(label);
    write_text(text);
    write_text("\n");
  }
}

/// Memory of a child, in the sense of memory_in_use().
int64_t child_memory(pid_t child) {
  std::array<char, 64> path;
  std::snprintf(path.data(), path.size(), "/proc/%d/statm", static_cast<int>(child));
  std::FILE* const file = std::fopen(path.data(), "re");
  if (file == nullptr) return 0;
  long long size = 0, resident = 0, shared = 0;
  const int count = std::fscanf(file, "%lld %lld %lld", &size, &resident, &shared);
  std::fclose(file);
  return count == 3 ? (resident - shared) * sysconf(_SC_PAGESIZE) : 0;
}

int64_t memory_of_all() {
  int64_t out = memory_in_use();
  for (const std::atomic<pid_t>& child : children)
    if (const pid_t pid = child.load(); pid > 0) out += child_memory(pid);
  return out;
}

/// Another thread ends the process.
[[noreturn]] void wait_for_end() noexcept {
  while (true) pause();
}

[[noreturn]] void end_for_time(double seconds, bool is_own) {
  const std::string message = cat("stopped after ", seconds, " s while ", current_activity.load());
  end_now({.id = "timeout",
           .message = message,
           .why = is_own ? "--timeout limits the whole command"
                         : "no ordinary file takes this long at this stage; a malicious one may "
                           "never finish",
           .help = is_own ? "raise --timeout" : "give the command more time with --timeout"});
}

[[noreturn]] void end_for_memory(int64_t bytes) {
  const std::string message =
      cat("stopped at ", bytes_text(bytes), " of memory while ", current_activity.load());
  const std::string why = cat("t2nnef may use ", bytes_text(max_memory()));
  end_now({.id = "memory-limit",
           .message = message,
           .why = why,
           .help = "raise --max-memory, or use smaller inputs"});
}

/// Milliseconds until the next measurement of memory, if `bytes` are still free. Measuring costs
/// system calls and delays page faults; no machine fills pages faster than this.
int64_t pause_before(int64_t bytes) {
  constexpr int64_t kBytesPerMillisecond = int64_t{64} << 20;
  return std::clamp(bytes / kBytesPerMillisecond, kShortest, kLongest);
}

/// Ends the process if it exceeds a limit; else the milliseconds until the next measurement.
int64_t tick(double elapsed) {
  double limit = command_seconds.load();
  const double since = std::chrono::duration<double>(Clock::now() - began).count();
  if (limit > 0 && since >= limit && command_seconds.compare_exchange_strong(limit, kExpired))
    end_for_time(limit, true);
  // A process that was stopped, or not scheduled, has not used the elapsed time.
  constexpr double kMostPerTick = 0.1;
  stage_used.store(stage_used.load() + std::min(elapsed, kMostPerTick));
  const double seconds = stage_seconds.load();
  if (limit <= 0 && seconds > 0 && stage_used.load() >= seconds) end_for_time(seconds, false);
  const int64_t bytes = memory_of_all();
  if (bytes > max_memory()) end_for_memory(bytes);
  return pause_before(max_memory() - bytes);
}

[[noreturn]] void watch() {
  Clock::time_point before = Clock::now();
  int64_t pause = kShortest;
  while (true) {
    std::this_thread::sleep_for(std::chrono::milliseconds(pause));
    const Clock::time_point now = Clock::now();
    pause = tick(std::chrono::duration<double>(now - before).count());
    before = now;
  }
}

}  // namespace

void start_watch(std::optional<double> seconds) {
  began = Clock::now();
  command_seconds = seconds.value_or(0);
  // The main thread handles signals.
  sigset_t all, before;
  sigfillset(&all);
  sigdelset(&all, confine::signal_for_threads());
  pthread_sigmask(SIG_BLOCK, &all, &before);
  try {
    std::thread(watch).detach();
  } catch (const std::system_error&) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw Error("memory-limit", "cannot start a thread",
                "the system allows this process too few threads or too little address space",
                "raise the limits that `ulimit -a` shows");
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Stage::Stage(const char* activity, double seconds)
    : before_(current_activity.exchange(activity)),
      seconds_before_(stage_seconds.exchange(0)),
      used_before_(stage_used.exchange(0)) {
  stage_seconds = seconds;
}

Stage::~Stage() {
  stage_seconds = 0;
  stage_used = used_before_;
  stage_seconds = seconds_before_;
  current_activity = before_;
}

std::optional<double> seconds_left() {
  const double limit = command_seconds.load();
  if (limit <= 0) return std::nullopt;
  return std::max(0.0, limit - std::chrono::duration<double>(Clock::now() - began).count());
}

void end_time_limit() noexcept {
  if (command_seconds.exchange(0) == kExpired) wait_for_end();
}

void add_child(pid_t child) noexcept {
  for (std::atomic<pid_t>& slot : children) {
    pid_t free = 0;
    if (slot.compare_exchange_strong(free, child)) return;
  }
}

void remove_child(pid_t child) noexcept {
  for (std::atomic<pid_t>& slot : children) {
    pid_t known = child;
    if (slot.compare_exchange_strong(known, 0)) return;
  }
}

void set_cleanup(void (*cleanup)() noexcept) noexcept { cleanup_function = cleanup; }

void set_reporter(void (*report)(const Ending& ending) noexcept) noexcept {
  report_function = report;
}

void take_reporter() noexcept {
  if (report_function.exchange(nullptr) == nullptr && ender.load() != 0) wait_for_end();
}

void end_now(const Ending& ending) noexcept {
  const int code = static_cast<int>(exit_code(ending.id));
  // The first thread ends the process; a second one must not interrupt its message. A second signal
  // in the first thread finds its own id here.
  pid_t no_thread = 0;
  if (!ender.compare_exchange_strong(no_thread, gettid())) {
    if (no_thread == gettid()) _exit(code);
    wait_for_end();
  }
  // Before children are killed: their end may make the main thread write reports of its own.
  auto* const report = report_function.exchange(nullptr);
  for (const std::atomic<pid_t>& child : children)
    if (const pid_t pid = child.load(); pid > 0) kill(pid, SIGKILL);
  if (auto* const cleanup = cleanup_function.load()) cleanup();
  write_ending(ending);
  if (report != nullptr) report(ending);
  _exit(code);
}

}  // namespace t2n::limits
