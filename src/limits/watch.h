// SPDX-License-Identifier: Apache-2.0
// Ends the process if it exceeds its time or memory limit.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string_view>

namespace t2n::limits {

/// Starts a thread that watches the `seconds` of --timeout, and max_memory() for this process and
/// its children. Call it once per process.
void start_watch(std::optional<double> seconds);

/// The current activity, for the message; it ends with the object. Without --timeout, `seconds`
/// limits the time in which the process was running; 0: no limit.
class Stage {
 public:
  /// `activity`, such as "loading the model", must outlive the stage.
  explicit Stage(const char* activity, double seconds = 0);
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

 private:
  const char* before_;
  double seconds_before_;
  double used_before_;
};

/// The remaining seconds of --timeout; nothing without it.
std::optional<double> seconds_left();

/// The command has its result, which a time-out no longer changes. Does not return after one.
void end_time_limit() noexcept;

/// A child of this process: its memory counts, and it is killed if the process ends early. A signal
/// handler may run at the same time.
void add_child(pid_t child) noexcept;
void remove_child(pid_t child) noexcept;

/// Why the process ends early: the fields of a diagnostic.
struct Ending {
  std::string_view id;
  std::string_view message;
  std::string_view why = {};
  std::string_view help = {};
};

/// Both are called before the process ends early, from any thread or a signal handler; the second
/// one after the message was printed.
void set_cleanup(void (*cleanup)() noexcept) noexcept;
void set_reporter(void (*report)(const Ending& ending) noexcept) noexcept;

/// From now on no reporter is called. Does not return if another thread is about to call it.
void take_reporter() noexcept;

/// Cleans up, prints the reason on stderr and ends the process. Safe in a signal handler.
[[noreturn]] void end_now(const Ending& ending) noexcept;

}  // namespace t2n::limits
