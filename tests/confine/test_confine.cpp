// What a confined process can no longer do, as far as this kernel confines; each case in a child.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include "src/confine/confine.h"

namespace t2n::test {
namespace {

namespace fs = std::filesystem;

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

/// Whether `attempt` succeeds in a child that was confined to the folder's two parts.
bool succeeds(const Folder& folder, const std::function<bool()>& attempt) {
  const pid_t child = fork();
  if (child == 0) {
    const confine::Places places{{folder / "read"}, {folder / "write"}};
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

TEST_CASE("files: what was named, and the system's libraries") {
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

TEST_CASE("what runs outside is not confined, and its errors come back") {
  const Folder folder;
  CHECK(succeeds(folder, [&] {
    bool opened = false;
    confine::unconfined(
        [&] { opened = can_open(folder / "secret", O_RDONLY) && can_run_programs(); });
    return opened;
  }));
  CHECK(succeeds(folder, [] {
    try {
      confine::unconfined([] { throw 7; });
    } catch (const int number) {
      return number == 7;
    }
    return false;
  }));
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
