// SPDX-License-Identifier: Apache-2.0
// Uses posix_spawn, which does not copy page tables: a parent with mapped weights is large.
#include "src/tract/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "src/confine/confine.h"
#include "src/diag/error.h"
#include "src/limits/watch.h"

extern char** environ;

namespace t2n::tract {
namespace {

/// A copy of a descriptor above those of a child, so that no dup2 overwrites another source.
Fd raised(int fd) {
  constexpr int kAbove = 10;
  return Fd(fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, kAbove));
}

/// The actions of posix_spawn in the child.
class Actions {
 public:
  Actions() { posix_spawn_file_actions_init(&actions_); }
  ~Actions() { posix_spawn_file_actions_destroy(&actions_); }
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;

  void give(const Fd& source, int as) {
    if (source.get() >= 0)
      posix_spawn_file_actions_adddup2(&actions_, source.get(), as);
    else
      posix_spawn_file_actions_addopen(&actions_, as, "/dev/null", O_RDWR, 0);
  }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

/// The child blocks no signals and has the default SIGPIPE handler.
class Attributes {
 public:
  Attributes() {
    posix_spawnattr_init(&attributes_);
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes_, &signals);
    sigaddset(&signals, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes_, &signals);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~Attributes() { posix_spawnattr_destroy(&attributes_); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

/// Reads until the end of the file, an error, or the deadline.
std::string read_until(int fd, std::chrono::steady_clock::time_point deadline) {
  std::string text;
  while (true) {
    const auto remaining = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    pollfd item{fd, POLLIN, 0};
    if (remaining.count() <= 0 || poll(&item, 1, static_cast<int>(remaining.count())) <= 0)
      return text;
    char buffer[4096];
    const ssize_t count = read(fd, buffer, sizeof buffer);
    if (count <= 0) return text;
    text.append(buffer, static_cast<size_t>(count));
  }
}

/// posix_spawnp would also use empty or relative elements of PATH, and the current folder may
/// contain anything.   "" if there is no such program.
std::string program_path(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const char* const path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
    const std::string candidate = cat(folder, "/", name);
    struct stat info {};
    if (folder.starts_with('/') && stat(candidate.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
        access(candidate.c_str(), X_OK) == 0)
      return candidate;
  }
  return {};
}

/// The id of the child, or -errno.
pid_t spawn(const std::vector<std::string>& command_line, const Command& command) {
  const Fd out = raised(command.out);
  const Fd err = raised(command.err);
  const Fd channel = raised(command.channel);
  Actions actions;
  actions.give(Fd(), STDIN_FILENO);
  actions.give(out, STDOUT_FILENO);
  actions.give(err, STDERR_FILENO);
  if (channel.get() >= 0) actions.give(channel, kChannel);
  const Attributes attributes;
  std::vector<char*> argv;
  for (const std::string& argument : command_line)
    argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  pid_t pid = -1;
  const int error =
      posix_spawn(&pid, argv.front(), actions.get(), attributes.get(), argv.data(), environ);
  return error == 0 ? pid : -error;
}

}  // namespace

void Fd::reset() {
  if (fd_ >= 0) close(std::exchange(fd_, -1));
}

std::optional<Child> Child::start(const Command& command) {
  const std::string program = program_path(command.program);
  if (program.empty()) {
    errno = ENOENT;
    return std::nullopt;
  }
  std::vector<std::string> command_line{program};
  command_line.insert(command_line.end(), command.arguments.begin(), command.arguments.end());
  const pid_t pid = confine::is_entered()
                        ? confine::start(command_line, {command.out, command.err, command.channel})
                        : spawn(command_line, command);
  if (pid < 0) {
    errno = -pid;
    return std::nullopt;
  }
  limits::add_child(pid);
  return Child(pid);
}

Child::~Child() { finish(); }

std::optional<int> Child::wait_until(std::chrono::steady_clock::time_point deadline) {
  while (std::chrono::steady_clock::now() < deadline) {
    int status = 0;
    if (waitpid(pid_, &status, WNOHANG) == pid_) {
      limits::remove_child(pid_);
      pid_ = -1;
      return status;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return std::nullopt;
}

int Child::finish() {
  if (pid_ < 0) return 0;
  limits::remove_child(pid_);
  kill(pid_, SIGKILL);
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  return status;
}

std::optional<std::string> output_of(const std::string& program,
                                     const std::vector<std::string>& arguments,
                                     std::chrono::milliseconds timeout) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  const Fd reader(ends[0]);
  Fd writer(ends[1]);
  auto child = Child::start({.program = program, .arguments = arguments, .out = writer.get()});
  if (!child) return std::nullopt;
  writer.reset();
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  std::string text = read_until(reader.get(), deadline);
  const auto status = child->wait_until(deadline);
  if (!status || !WIFEXITED(*status) || WEXITSTATUS(*status) != 0) return std::nullopt;
  return text;
}

}  // namespace t2n::tract
