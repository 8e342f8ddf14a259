// SPDX-License-Identifier: Apache-2.0
// The copy only makes system calls: other threads may have held locks at the time of the fork.
#include "src/confine/starter.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace t2n::confine {
namespace {

int channel = -1;
pid_t starter = -1;

struct Request {
  uint32_t program = 0;
  uint32_t present = 0;  ///< one bit for each of Descriptors that is not -1
};

struct Answer {
  pid_t pid = -1;
  int error = 0;
};

/// Space for the descriptors of a message.
union ControlData {
  cmsghdr header;
  char bytes[CMSG_SPACE(sizeof(Descriptors))];
};

msghdr message(iovec* data, ControlData* control, size_t bytes) {
  msghdr out = {};
  out.msg_iov = data;
  out.msg_iovlen = 1;
  out.msg_control = bytes == 0 ? nullptr : control;
  out.msg_controllen = bytes;
  return out;
}

bool send_request(Request request, const Descriptors& descriptors) {
  Descriptors packed = {};
  size_t count = 0;
  for (size_t i = 0; i < descriptors.size(); ++i) {
    if (descriptors.at(i) < 0) continue;
    request.present |= 1U << i;
    packed.at(count++) = descriptors.at(i);
  }
  const size_t bytes = count * sizeof(int);
  ControlData control = {};
  control.header.cmsg_level = SOL_SOCKET;
  control.header.cmsg_type = SCM_RIGHTS;
  control.header.cmsg_len = CMSG_LEN(bytes);
  std::memcpy(CMSG_DATA(&control.header), packed.data(), bytes);
  iovec data{&request, sizeof request};
  const msghdr datagram = message(&data, &control, count == 0 ? 0 : CMSG_SPACE(bytes));
  return ::sendmsg(channel, &datagram, MSG_NOSIGNAL) == sizeof request;
}

/// False if the requesting process ended, or sent an invalid request. The copy checks requests
/// because a malicious model may control the sender.
bool receive_request(int socket, Request& request, Descriptors& descriptors) {
  ControlData control = {};
  iovec data{&request, sizeof request};
  msghdr datagram = message(&data, &control, sizeof control);
  if (::recvmsg(socket, &datagram, MSG_CMSG_CLOEXEC) != sizeof request) return false;
  const cmsghdr* const header = CMSG_FIRSTHDR(&datagram);
  const size_t count = header == nullptr ? 0 : (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
  const size_t expected = std::popcount(request.present);
  if ((datagram.msg_flags & (MSG_CTRUNC | MSG_TRUNC)) != 0 || count != expected ||
      count > descriptors.size() || request.present >> descriptors.size() != 0)
    return false;
  if (count > 0 && (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS))
    return false;
  Descriptors packed = {};
  if (count > 0) std::memcpy(packed.data(), CMSG_DATA(header), count * sizeof(int));
  size_t next = 0;
  for (size_t i = 0; i < descriptors.size(); ++i)
    descriptors.at(i) = (request.present >> i & 1U) != 0 ? packed.at(next++) : -1;
  return true;
}

/// Runs in the new child. Returns if something fails; errno has the reason.
void become(char* const* arguments, const Descriptors& descriptors) {
  // Above the program's descriptors, so that none overwrites another.
  constexpr int kAbove = 10;
  Descriptors raised = descriptors;
  for (int& descriptor : raised) {
    if (descriptor < 0) continue;
    descriptor = ::fcntl(descriptor, F_DUPFD_CLOEXEC, kAbove);
    if (descriptor < 0) return;
  }
  for (int i = 0; i < 3; ++i)
    if (const int source = raised.at(i); source >= 0 && ::dup2(source, i + 1) < 0) return;
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execve(arguments[0], arguments, environ);
}

/// The copy must not run the signal handlers of this program: they would remove files in use.
void forget_handlers() {
  struct sigaction action {};
  for (int signal = 1; signal < NSIG; ++signal)
    if (::sigaction(signal, nullptr, &action) == 0 &&
        (signal == SIGPIPE || action.sa_handler != SIG_IGN))
      ::signal(signal, SIG_DFL);
}

/// Starts the program as a sibling of the copy, so that their common parent can wait for it.
Answer start_sibling(char* const* arguments, const Descriptors& descriptors) {
  constexpr int kAbove = 20;  // above the program's descriptors
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return {-1, errno};
  const int above = ::fcntl(ends[1], F_DUPFD_CLOEXEC, kAbove);
  Answer out{-1, errno};
  ::close(ends[1]);
  if (above >= 0) {
    out.pid = static_cast<pid_t>(::syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0));
    out.error = out.pid < 0 ? errno : 0;
  }
  if (out.pid == 0) {
    become(arguments, descriptors);
    const int error = errno;
    static_cast<void>(::write(above, &error, sizeof error) == 0);
    ::_exit(127);
  }
  if (above >= 0) ::close(above);
  // The pipe is empty if the program runs, because execve() closes its end.
  if (out.pid > 0 && ::read(ends[0], &out.error, sizeof out.error) <= 0) out.error = 0;
  ::close(ends[0]);
  return out;
}

constexpr int kSocket = 4;  ///< of the copy: not a number that programs get

[[noreturn]] void serve(const std::vector<std::vector<char*>>& programs) {
  while (true) {
    Request request;
    Descriptors descriptors;
    if (!receive_request(kSocket, request, descriptors)) ::_exit(0);
    Answer answer{-1, EPERM};
    if (request.program < programs.size())
      answer = start_sibling(programs[request.program].data(), descriptors);
    for (const int descriptor : descriptors)
      if (descriptor >= 0) ::close(descriptor);
    if (::send(kSocket, &answer, sizeof answer, MSG_NOSIGNAL) != sizeof answer) ::_exit(0);
  }
}

/// Closes all open descriptors: another process may wait for the end of its output.
[[noreturn]] void become_starter(int socket, int other_end,
                                 const std::vector<std::vector<char*>>& programs) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  sigset_t all;
  sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);  // it ends only with its parent
  forget_handlers();
  ::close(other_end);
  if (::dup2(socket, kSocket) < 0) ::_exit(0);
  ::fcntl(kSocket, F_SETFD, FD_CLOEXEC);
  for (int i = 0; i < kSocket; ++i) ::close(i);
  if (::syscall(SYS_close_range, kSocket + 1U, ~0U, 0U) != 0)  // Linux before 5.9
    for (int i = kSocket + 1; i < ::sysconf(_SC_OPEN_MAX); ++i) ::close(i);
  if (::open("/dev/null", O_RDWR) != STDIN_FILENO) ::_exit(0);
  ::dup2(STDIN_FILENO, STDOUT_FILENO);
  ::dup2(STDIN_FILENO, STDERR_FILENO);
  serve(programs);
}

/// Waits for a child that ended or was killed.
void reap(pid_t child) {
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace

bool fork_starter(const std::vector<CommandLine>& programs) {
  std::vector<std::vector<char*>> arguments;
  for (const CommandLine& program : programs) {
    std::vector<char*>& argv = arguments.emplace_back();
    for (const std::string& argument : program) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
  }
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return false;
  starter = ::fork();
  if (starter == 0) become_starter(ends[1], ends[0], arguments);
  const int error = errno;
  ::close(ends[1]);
  channel = ends[0];
  if (starter < 0) end_starter();
  errno = error;
  return starter > 0;
}

pid_t start_in_copy(size_t program, const Descriptors& descriptors) {
  if (starter < 0) return -EPERM;
  if (!send_request({static_cast<uint32_t>(program), 0}, descriptors)) return -errno;
  Answer answer;
  if (::recv(channel, &answer, sizeof answer, 0) != sizeof answer) return -ECHILD;
  if (answer.error == 0) return answer.pid;
  if (answer.pid > 0) reap(answer.pid);
  return -answer.error;
}

void end_starter() {
  if (channel >= 0) ::close(channel);
  channel = -1;
  if (starter > 0) {
    ::kill(starter, SIGKILL);  // it owns no resources
    reap(starter);
  }
  starter = -1;
}

}  // namespace t2n::confine
