// SPDX-License-Identifier: Apache-2.0
// Child processes: started without copying our address space, and always reaped.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace t2n::tract {

/// A file descriptor that is closed by its destructor.
class Fd {
 public:
  explicit Fd(int fd = -1) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Fd() { reset(); }

  int get() const { return fd_; }
  void reset();

 private:
  int fd_;
};

/// A program, searched in the absolute folders of PATH if its name has no slash, and its
/// descriptors.
struct Command {
  std::string program;
  std::vector<std::string> arguments;
  int out = -1;      ///< -1: /dev/null
  int err = -1;      ///< -1: /dev/null
  int channel = -1;  ///< becomes kChannel; -1: none
};
constexpr int kChannel = 3;

/// A running child. Its destructor kills and reaps it.
class Child {
 public:
  /// Nothing if the program cannot be started; errno has the reason.
  static std::optional<Child> start(const Command& command);
  Child(Child&& other) noexcept : pid_(std::exchange(other.pid_, -1)) {}
  Child& operator=(Child&&) = delete;
  ~Child();

  pid_t pid() const { return pid_; }
  /// The status of wait(2); nothing if the child still runs at the deadline.
  std::optional<int> wait_until(std::chrono::steady_clock::time_point deadline);
  /// Kills the child if it still runs, reaps it, and returns the status of wait(2). A child that
  /// ended by itself keeps its own status.
  int finish();

 private:
  explicit Child(pid_t pid) : pid_(pid) {}
  pid_t pid_;
};

/// The stdout of a command; nothing if it cannot be started, fails, or takes too long.
std::optional<std::string> output_of(const std::string& program,
                                     const std::vector<std::string>& arguments,
                                     std::chrono::milliseconds timeout);

}  // namespace t2n::tract
