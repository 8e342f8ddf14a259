// SPDX-License-Identifier: Apache-2.0
// What a confined process can no longer do, as far as this kernel confines; each case in a child.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "src/confine/confine.h"
#include "src/confine/threads.h"
#include "src/diag/error.h"

namespace t2n::test {
namespace {

namespace fs = std::filesystem;

std::optional<std::thread> earlier;  ///< of the child
bool earlier_succeeded = false;

class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("t2nnef_confine_" + std::to_string(getpid()))) {
    fs::create_directories(path_ / "read");
    fs::create_directories(path_ / "write");
    std::ofstream(path_ / "secret") << "secret";
    std::ofstream(path_ / "read" / "model") << "model";
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  fs::path operator/(const char* name) const { return path_ / name; }

 private:
  fs::path path_;
};

/// Whether `attempt` succeeds in a child that was confined to the folder's two parts, after
/// `before`.
bool succeeds(
    const Folder& folder, const std::function<bool()>& attempt,
    const std::function<void()>& before = [] {}) {
  const pid_t child = fork();
  if (child == 0) {
    before();
    const confine::Accessible places{{folder / "read"}, {folder / "write"}, {folder / "used"}};
    confine::enter(places);
    _exit(attempt() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  REQUIRE(WIFEXITED(status));
  return WEXITSTATUS(status) == 0;
}

bool can_open(const fs::path& path, int flags) {
  const int file = ::open(path.c_str(), flags | O_CLOEXEC, 0600);
  if (file >= 0) ::close(file);
  return file >= 0;
}

bool can_run_programs() {
  const pid_t child = fork();
  if (child == 0) {
    ::execl("/bin/true", "true", nullptr);
    _exit(1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// Whether `attempt` succeeds on a thread from before the confinement, which blocks all signals
/// that it may.
bool may_still(const Folder& folder, const std::function<bool()>& attempt) {
  std::atomic<bool> go = false;
  return succeeds(
      folder,
      [&] {
        go = true;
        earlier->join();
        return earlier_succeeded;
      },
      [&] {
        earlier.emplace([&] {
          sigset_t all;
          sigfillset(&all);
          sigdelset(&all, confine::signal_for_threads());
          pthread_sigmask(SIG_BLOCK, &all, nullptr);
          while (!go) usleep(1000);
          earlier_succeeded = attempt();
        });
      });
}

TEST_CASE("files: only named ones and the system's libraries are accessible") {
  if (confine::support().landlock == 0) return;
  const Folder folder;
  CHECK(succeeds(folder, [&] { return can_open(folder / "read/model", O_RDONLY); }));
  CHECK(succeeds(folder, [&] { return can_open(folder / "write/new", O_WRONLY | O_CREAT); }));
  CHECK(succeeds(folder, [] { return can_open("/dev/null", O_RDWR); }));
  CHECK_FALSE(succeeds(folder, [&] { return can_open(folder / "secret", O_RDONLY); }));
  CHECK_FALSE(succeeds(folder, [&] { return can_open(folder / "secret", O_WRONLY); }));
  CHECK_FALSE(succeeds(folder, [&] { return can_open(folder / "read/model", O_WRONLY); }));
  CHECK_FALSE(succeeds(folder, [&] { return can_open(folder / "new", O_WRONLY | O_CREAT); }));
  CHECK_FALSE(succeeds(folder, [] { return can_open("/etc/passwd", O_RDONLY); }));
  fs::create_directories(folder / "used/empty");
  std::ofstream(folder / "used/file") << "kept";
  CHECK_FALSE(succeeds(folder, [&] { return ::unlink((folder / "used/file").c_str()) == 0; }));
  CHECK(succeeds(folder, [&] { return ::rmdir((folder / "used/empty").c_str()) == 0; }));
  CHECK_FALSE(succeeds(folder, [&] {
    std::error_code error;
    fs::rename(folder / "secret", folder / "write/secret", error);
    return !error;
  }));
  // Threads that are started afterwards are no way around it.
  CHECK_FALSE(succeeds(folder, [&] {
    bool opened = false;
    std::thread([&] { opened = can_open(folder / "secret", O_RDONLY); }).join();
    return opened;
  }));
}

TEST_CASE("programs and sockets") {
  if (!confine::support().seccomp) return;
  const Folder folder;
  CHECK_FALSE(succeeds(folder, can_run_programs));
  CHECK_FALSE(succeeds(folder, [] { return ::socket(AF_INET, SOCK_STREAM, 0) >= 0; }));
  CHECK_FALSE(succeeds(folder, [] { return ::socket(AF_UNIX, SOCK_STREAM, 0) >= 0; }));
  int ends[2];
  CHECK(succeeds(folder, [&] { return ::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0; }));
}

TEST_CASE("existing threads are confined, whatever they do") {
  const Folder folder;
  const confine::Support kernel = confine::support();
  if (kernel.landlock == 0 || !kernel.seccomp) return;
  CHECK_FALSE(may_still(folder, [&] { return can_open(folder / "secret", O_RDONLY); }));
  CHECK_FALSE(may_still(folder, can_run_programs));
  CHECK(may_still(folder, [&] { return can_open(folder / "read/model", O_RDONLY); }));
}

/// What the process speaks to the starter by; -1 if there is none.
int channel_to_starter() {
  for (int file = 3; file < 256; ++file) {
    int kind = 0;
    socklen_t size = sizeof kind;
    if (::getsockopt(file, SOL_SOCKET, SO_TYPE, &kind, &size) == 0 && kind == SOCK_SEQPACKET)
      return file;
  }
  return -1;
}

/// A request for the first program with `count` descriptors, of which it says that there are three.
/// Whether the starter answers.
bool answers_descriptors(size_t count) {
  const int channel = channel_to_starter();
  struct {
    uint32_t program = 0;
    uint32_t given = 7;
  } request;
  iovec data{&request, sizeof request};
  alignas(cmsghdr) char attached[CMSG_SPACE(8 * sizeof(int))] = {};
  msghdr whole = {};
  whole.msg_iov = &data;
  whole.msg_iovlen = 1;
  whole.msg_control = attached;
  whole.msg_controllen = CMSG_SPACE(count * sizeof(int));
  cmsghdr* const header = CMSG_FIRSTHDR(&whole);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(count * sizeof(int));
  const std::vector<int> descriptors(count, STDERR_FILENO);
  std::memcpy(CMSG_DATA(header), descriptors.data(), count * sizeof(int));
  if (::sendmsg(channel, &whole, MSG_NOSIGNAL) != sizeof request) return false;
  char answer[64];
  return ::recv(channel, answer, sizeof answer, 0) > 0;
}

TEST_CASE("requests that this program does not make end what starts programs") {
  const confine::Support kernel = confine::support();
  if (kernel.landlock == 0 && !kernel.seccomp) return;
  const Folder folder;
  confine::may_start({"/bin/true"});
  CHECK(succeeds(folder, [] { return answers_descriptors(3); }));
  for (const size_t count : {1, 2, 4, 8})
    CHECK_FALSE(succeeds(folder, [count] { return answers_descriptors(count); }));
}

TEST_CASE("programs that were named before are started, and no others") {
  const Folder folder;
  const auto ends_with = [](pid_t child) {
    int status = 0;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status)
               ? WEXITSTATUS(status)
               : -1;
  };
  const confine::Support kernel = confine::support();
  if (kernel.landlock == 0 && !kernel.seccomp) return;
  const confine::CommandLine known{"/bin/sh", "-c", "cat \"$0\" >&3; exit 7", folder / "secret"};
  confine::may_start(known);
  confine::may_start({"/nowhere/program"});
  CHECK(succeeds(folder, [&] {
    int ends[2];
    if (::pipe(ends) != 0) return false;
    const int code = ends_with(confine::start(known, {-1, -1, ends[1]}));
    char text[16] = {};
    return ::read(ends[0], text, sizeof text) == 6 && std::string(text) == "secret" && code == 7;
  }));
  CHECK(succeeds(folder, [&] { return ends_with(confine::start(known, {-1, -1, -1})) == 7; }));
  CHECK(succeeds(folder, [&] {
    return confine::start({"/bin/sh", "-c", "exit 7"}, {-1, -1, -1}) == -EPERM;
  }));
  CHECK(succeeds(folder, [&] {
    return confine::start({"/nowhere/program"}, {-1, -1, -1}) == -ENOENT;
  }));
  // What starts them ends with the process, and lets it end.
  CHECK(succeeds(folder, [&] {
    confine::leave();
    return ::waitpid(-1, nullptr, 0) < 0 && errno == ECHILD;
  }));
}

TEST_CASE("a process that cannot be confined does not go on") {
  if (confine::support().landlock == 0) return;
  const Folder folder;
  const pid_t child = fork();
  if (child == 0) {
    const rlimit none{3, 3};  // descriptors 0 to 2 are open
    ::setrlimit(RLIMIT_NOFILE, &none);
    try {
      confine::enter({{folder / "read"}, {}, {}});
    } catch (const Error& error) {
      _exit(error.diagnostic().id == "not-confined" ? 0 : 2);
    }
    _exit(1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  REQUIRE(WIFEXITED(status));
  CHECK_EQ(WEXITSTATUS(status), 0);
}

TEST_CASE("T2NNEF_CONFINE=off leaves everything as it is") {
  const Folder folder;
  ::setenv("T2NNEF_CONFINE", "off", 1);
  CHECK(succeeds(folder,
                 [&] { return can_open(folder / "secret", O_RDONLY) && can_run_programs(); }));
  CHECK_EQ(confine::describe_support(), "off (T2NNEF_CONFINE=off)");
  ::unsetenv("T2NNEF_CONFINE");
}

}  // namespace
}  // namespace t2n::test
