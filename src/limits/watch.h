// Ends the process when it takes too long or too much memory, whatever its threads are doing.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace t2n::limits {

/// Watches the whole command from now on, in a thread of its own: `seconds` of --timeout, and
/// max_memory() of this process and its children. Once per process.
void start_watch(std::optional<double> seconds);

/// What is being done, for the message; ends with its owner. Without --timeout it may take
/// `seconds`, during which the process really ran; 0: as long as it likes.
class Stage {
 public:
  /// `activity` outlives the stage: "loading the model".
  explicit Stage(const char* activity, double seconds = 0);
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

 private:
  const char* before_;
  double seconds_before_;
  double used_before_;
};

/// Seconds that --timeout leaves; nothing if it was not given.
std::optional<double> seconds_left();

/// Children of this process: their memory counts, and they are killed where the process ends early.
/// A signal handler may run at the same time.
void add_child(pid_t child) noexcept;
void remove_child(pid_t child) noexcept;

/// Called before the process ends early, from any thread or a signal handler.
void set_cleanup(void (*cleanup)() noexcept) noexcept;

/// Cleans up, says `text` on stderr and ends the process. Safe in a signal handler.
[[noreturn]] void end_now(int code, std::string_view text) noexcept;

/// Ends the process with `memory-limit`: for allocators, which cannot let an error pass through
/// foreign code.
[[noreturn]] void end_for_memory(int64_t bytes) noexcept;

}  // namespace t2n::limits
