// SPDX-License-Identifier: Apache-2.0
// Landlock for files, seccomp for everything else. Both are called by number: the build machine's
// headers may be older than the kernel that runs the program.
#include "src/confine/confine.h"

#include <fcntl.h>
#include <link.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include "src/confine/system_calls.h"
#include "src/confine/threads.h"
#include "src/diag/error.h"

namespace t2n::confine {
namespace {

constexpr long kCreateRuleset = 444;
constexpr long kAddRule = 445;
constexpr long kRestrictSelf = 446;

// linux/landlock.h
constexpr uint64_t kExecute = 1 << 0;
constexpr uint64_t kWriteFile = 1 << 1;
constexpr uint64_t kReadFile = 1 << 2;
constexpr uint64_t kReadDir = 1 << 3;
constexpr uint64_t kRemoveDir = 1 << 4;
constexpr uint64_t kRemoveFile = 1 << 5;
constexpr uint64_t kMakeDir = 1 << 7;
constexpr uint64_t kMakeReg = 1 << 8;
constexpr uint64_t kRefer = 1 << 13;     // since version 2
constexpr uint64_t kTruncate = 1 << 14;  // since 3
constexpr uint64_t kIoctl = 1 << 15;     // since 5
constexpr uint64_t kAllOfFirst = (1 << 13) - 1;
constexpr uint64_t kNetwork = 3;         // bind and connect, since 4
constexpr uint64_t kAbstractSocket = 1;  // since 6

struct Ruleset {
  uint64_t files = 0;
  uint64_t network = 0;
  uint64_t scope = 0;
};

struct [[gnu::packed]] PathRule {
  uint64_t allowed = 0;
  int32_t folder = -1;
};
constexpr int kPathRule = 1;

constexpr uint64_t kRead = kReadFile | kReadDir;
constexpr uint64_t kWrite =
    kRead | kWriteFile | kRemoveDir | kRemoveFile | kMakeDir | kMakeReg | kRefer | kTruncate;

bool is_off() {
  const char* const value = std::getenv("T2NNEF_CONFINE");
  return value != nullptr && std::string_view(value) == "off";
}

int landlock_version() {
  constexpr unsigned kQueryVersion = 1;
  const long version = ::syscall(kCreateRuleset, nullptr, 0, kQueryVersion);
  return version < 0 ? 0 : static_cast<int>(version);
}

uint64_t handled_files(int version) {
  uint64_t out = kAllOfFirst;
  if (version >= 2) out |= kRefer;
  if (version >= 3) out |= kTruncate;
  if (version >= 5) out |= kIoctl;
  return out;
}

/// A file gets only the rights that apply to files. A missing path needs no rule.
void allow(int ruleset, const std::filesystem::path& path, uint64_t rights) {
  const int file = ::open(path.c_str(), O_PATH | O_CLOEXEC);
  if (file < 0) return;
  struct stat info = {};
  constexpr uint64_t kOfFiles = kExecute | kWriteFile | kReadFile | kTruncate | kIoctl;
  if (::fstat(file, &info) == 0 && !S_ISDIR(info.st_mode)) rights &= kOfFiles;
  const PathRule rule{rights, file};
  ::syscall(kAddRule, ruleset, kPathRule, &rule, 0);
  ::close(file);
}

/// -1 if the kernel refuses; errno has the reason.
int make_ruleset(const Accessible& paths, int version) {
  const uint64_t handled = handled_files(version);
  const Ruleset rules{handled, version >= 4 ? kNetwork : 0, version >= 6 ? kAbstractSocket : 0};
  const size_t size = version >= 6 ? sizeof rules : version >= 4 ? 16 : 8;
  const auto ruleset = static_cast<int>(::syscall(kCreateRuleset, &rules, size, 0));
  if (ruleset < 0) return -1;
  for (const char* system : {"/lib",
                             "/lib64",
                             "/usr/lib",
                             "/usr/lib64",
                             "/usr/local/lib",
                             "/etc/ld.so.cache",
                             "/etc/localtime",
                             "/usr/share/zoneinfo",
                             "/proc/self",
                             "/proc/cpuinfo",
                             "/proc/meminfo",
                             "/proc/stat",
                             "/proc/sys/kernel",
                             "/proc/sys/vm",
                             "/sys/devices/system",
                             "/sys/fs/cgroup",
                             "/sys/kernel/mm",
                             "/dev/urandom",
                             "/dev/random",
                             "/dev/zero"})
    allow(ruleset, system, kRead & handled);
  allow(ruleset, "/dev/null", (kReadFile | kWriteFile | kTruncate | kIoctl) & handled);
  for (const std::filesystem::path& path : paths.read) allow(ruleset, path, kRead & handled);
  for (const std::filesystem::path& path : paths.write) allow(ruleset, path, kWrite & handled);
  for (const std::filesystem::path& path : paths.clear) allow(ruleset, path, kRemoveDir & handled);
  return ruleset;
}

std::atomic<int> ruleset_of_threads = -1;

/// Restricts one thread; runs in a signal handler.
int restrict_thread() {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  const int ruleset = ruleset_of_threads.load();
  if (ruleset < 0) return 0;
  return ::syscall(kRestrictSelf, ruleset, 0) == 0 ? 0 : errno;
}

[[noreturn]] void fail_to_confine(int error) {
  throw Error("not-confined", cat("the process cannot be confined: ", std::strerror(error)),
              "a model is a program, so t2nnef drops its own privileges before it runs one",
              "check that /proc is mounted and that the limits of `ulimit -a` allow another "
              "process; for a model that you trust, set T2NNEF_CONFINE=off");
}

std::vector<CommandLine>& allowed_programs() {
  static std::vector<CommandLine> programs;
  return programs;
}

bool is_confined = false;

bool is_armed = false;

Accessible& allowed_paths() {
  static Accessible paths;
  return paths;
}

int add_folder(dl_phdr_info* info, size_t /*size*/, void* out) {
  const std::filesystem::path library = info->dlpi_name == nullptr ? "" : info->dlpi_name;
  if (library.has_parent_path())
    static_cast<std::vector<std::filesystem::path>*>(out)->push_back(library.parent_path());
  return 0;
}

}  // namespace

void may_read(const std::filesystem::path& path) { allowed_paths().read.push_back(path); }

void may_write(const std::filesystem::path& folder) {
  allowed_paths().write.push_back(folder.empty() ? "." : folder);
}

void may_use_up(const std::filesystem::path& folder) {
  may_read(folder);
  may_write(folder);
  allowed_paths().clear.push_back(folder.parent_path());
}

void arm() { is_armed = true; }

void enter_if_armed() {
  if (!std::exchange(is_armed, false)) return;
  Accessible paths = allowed_paths();
  ::dl_iterate_phdr(add_folder, &paths.read);
  std::sort(paths.read.begin(), paths.read.end());
  paths.read.erase(std::unique(paths.read.begin(), paths.read.end()), paths.read.end());
  enter(paths);
}

Support support() { return {landlock_version(), can_filter_system_calls()}; }

std::string describe_support() {
  if (is_off()) return "off (T2NNEF_CONFINE=off)";
  const Support found = support();
  return cat(found.landlock > 0 ? cat("Landlock ", found.landlock) : "no Landlock", ", ",
             found.seccomp ? "seccomp" : "no seccomp");
}

Support enter(const Accessible& paths) {
  const Support available = support();
  if (is_off() || (available.landlock == 0 && !available.seccomp)) return {};
  const int ruleset = available.landlock > 0 ? make_ruleset(paths, available.landlock) : -1;
  if (available.landlock > 0 && ruleset < 0) fail_to_confine(errno);
  if (!allowed_programs().empty() && !fork_starter(allowed_programs())) fail_to_confine(errno);
  is_confined = true;
  ruleset_of_threads = ruleset;
  const int error = on_every_thread(restrict_thread);
  if (ruleset >= 0) ::close(ruleset);
  if (error != 0) fail_to_confine(error);
  if (available.seccomp)
    if (const int filter_error = filter_system_calls(); filter_error != 0)
      fail_to_confine(filter_error);
  return available;
}

void may_start(CommandLine program) { allowed_programs().push_back(std::move(program)); }

bool is_entered() { return is_confined; }

pid_t start(const CommandLine& program, const Descriptors& descriptors) {
  const auto known = std::find(allowed_programs().begin(), allowed_programs().end(), program);
  return start_in_copy(static_cast<size_t>(known - allowed_programs().begin()), descriptors);
}

void leave() { end_starter(); }

}  // namespace t2n::confine
