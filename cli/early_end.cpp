// SPDX-License-Identifier: Apache-2.0
// The reason passes through a socket as one message: its fields, each ended by a zero.
#include "cli/early_end.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <string_view>

#include "src/limits/watch.h"

namespace t2n::cli {
namespace {

constexpr size_t kFields = 4, kLongest = 1000;  // bytes of a field
using Message = std::array<char, kFields*(kLongest + 1)>;

std::atomic<int> channel = -1;

/// Runs in a signal handler, too. A copy that hangs must not keep the process.
void send_ending(const limits::Ending& ending) noexcept {
  constexpr int kMilliseconds = 5000;
  static Message message;
  size_t size = 0;
  for (const std::string_view field : {ending.id, ending.message, ending.why, ending.help}) {
    size += field.copy(message.data() + size, kLongest);
    message.at(size++) = '\0';
  }
  const int socket = channel.load();
  if (socket < 0 || ::write(socket, message.data(), size) < 0) return;
  pollfd end{socket, POLLIN, 0};
  // The copy's end closes its socket.
  while (::poll(&end, 1, kMilliseconds) < 0 && errno == EINTR) {
  }
}

Diagnostic read_ending(std::string_view text) {
  std::array<std::string_view, kFields> fields;
  for (std::string_view& field : fields) {
    field = text.substr(0, text.find('\0'));
    text.remove_prefix(std::min(field.size() + 1, text.size()));
  }
  return {.id = std::string(fields[0]),
          .message = std::string(fields[1]),
          .why = std::string(fields[2]),
          .help = std::string(fields[3])};
}

/// Signals to all processes of a terminal reach the copy as well; it has to outlive this process.
void ignore_signals() {
  limits::set_cleanup(nullptr);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(signal, SIG_IGN);
  for (const int signal : {SIGSEGV, SIGFPE, SIGILL, SIGABRT, SIGBUS}) ::signal(signal, SIG_DFL);
}

[[noreturn]] void wait_for_end(int socket, const std::function<void(const Error& error)>& write) {
  ignore_signals();
  Message message;
  ssize_t size = 0;
  do size = ::read(socket, message.data(), message.size());
  while (size < 0 && errno == EINTR);
  if (size > 0) {
    write(Error(read_ending({message.data(), static_cast<size_t>(size)})));
    std::fflush(stdout);
  }
  ::_exit(0);
}

}  // namespace

EarlyEnd::EarlyEnd(const std::function<void(const Error& error)>& write) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return;
  std::fflush(stdout);
  copy_ = ::fork();
  if (copy_ == 0) {
    ::close(ends[0]);
    wait_for_end(ends[1], write);
  }
  ::close(ends[1]);
  if (copy_ < 0) {
    ::close(ends[0]);
    return;
  }
  channel = ends[0];
  limits::set_reporter(send_ending);
}

EarlyEnd::~EarlyEnd() {
  limits::take_reporter();
  if (const int socket = channel.exchange(-1); socket >= 0) ::close(socket);
  while (copy_ > 0 && ::waitpid(copy_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace t2n::cli
