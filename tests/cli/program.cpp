// SPDX-License-Identifier: Apache-2.0
// Starts the program with posix_spawn, and watches its children through /proc.
#include "tests/cli/program.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

#include "tests/support/fork_server.h"

namespace t2n::test {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  REQUIRE_MESSAGE(value != nullptr, name, " is not set: run this through ctest or make test");
  return value;
}

std::string read_all(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string read_descriptor(int descriptor) { return read_all(cat("/proc/self/fd/", descriptor)); }

/// "NAME=value" strings: ours, changed.
std::vector<std::string> environment(const Variables& variables) {
  std::vector<std::string> out;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const bool is_changed = std::any_of(variables.begin(), variables.end(), [&](const auto& v) {
      return text.starts_with(v.first + "=");
    });
    if (!is_changed) out.emplace_back(text);
  }
  for (const auto& [name, value] : variables)
    if (value) out.push_back(cat(name, "=", *value));
  return out;
}

/// What libraries read while they are loaded, a server has read before.
bool steers_the_loader(const Variables& variables) {
  return std::any_of(variables.begin(), variables.end(),
                     [](const auto& each) { return each.first.starts_with("LD_"); });
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

}  // namespace

Running::Running(const Arguments& arguments, const std::string& folder, const Variables& variables)
    : out_(memfd_create("out", MFD_CLOEXEC)), err_(memfd_create("err", MFD_CLOEXEC)) {
  const std::string program = variable("T2NNEF_PROGRAM");
  std::vector<std::string> variable_texts = environment(variables);
  if (!steers_the_loader(variables)) {
    if (const auto pid =
            start_by_server(program, {arguments, variable_texts, folder, out_, err_})) {
      pid_ = *pid;
      return;
    }
  }
  std::vector<std::string> words = arguments;
  words.insert(words.begin(), program);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out_, 1);
  posix_spawn_file_actions_adddup2(&actions, err_, 2);
  const int error = posix_spawn(&pid_, words[0].c_str(), &actions, nullptr, pointers(words).data(),
                                pointers(variable_texts).data());
  posix_spawn_file_actions_destroy(&actions);
  REQUIRE_EQ(error, 0);
}

Running::~Running() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  close(out_);
  close(err_);
}

bool Running::has_ended() const {
  siginfo_t info{};
  waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
  return info.si_pid == pid_;
}

std::optional<pid_t> Running::worker() const {
  while (!has_ended()) {
    std::string children;  // of any thread
    std::error_code gone;
    for (const auto& task : std::filesystem::directory_iterator(cat("/proc/", pid_, "/task"), gone))
      children += read_all((task.path() / "children").string()) + " ";
    std::istringstream pids(children);
    for (pid_t pid = 0; pids >> pid;)
      if (read_all(cat("/proc/", pid, "/cmdline")).find("engine-worker") != std::string::npos)
        return pid;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return std::nullopt;
}

Result Running::wait() {
  int status = 0;
  waitpid(std::exchange(pid_, -1), &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), read_descriptor(out_),
          read_descriptor(err_)};
}

Sandbox::Sandbox(const std::vector<std::string>& bad_files) {
  for (const std::string& name : bad_files) {
    const fs::path source = fs::path(variable("T2NNEF_BAD_FILES")) / name;
    REQUIRE_MESSAGE(fs::exists(source), source.string(),
                    " is missing: tests/cli/make_bad_files.py makes it");
    fs::copy_file(source, path(name));
  }
}

void Sandbox::copy_fixture(const std::string& name, const std::string& as) {
  fs::copy_file(fs::path(variable("T2NNEF_SOURCE_DIR")) / "fixtures" / name, path(as));
}

std::string Sandbox::content(const std::string& name) const {
  INFO(name);
  REQUIRE(fs::exists(path(name)));
  return read_all(path(name));
}

Result Sandbox::run(const Arguments& arguments, const Variables& variables,
                    const std::string& subfolder) const {
  return Running(arguments, path(subfolder), variables).wait();
}

std::map<std::string, std::string> Sandbox::listing() const {
  std::map<std::string, std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) {
    const std::string name = entry.path().lexically_relative(folder_.path()).string();
    if (entry.is_symlink())
      out[name] = "-> " + fs::read_symlink(entry.path()).string();
    else
      out[name] = entry.is_directory() ? "a folder" : read_all(entry.path());
  }
  return out;
}

void check_failure(const Sandbox& sandbox, const Arguments& arguments, int code,
                   const std::string& text, const Variables& variables) {
  std::string line = "t2nnef";
  for (const std::string& argument : arguments) line += " " + argument;
  CAPTURE(line);
  const auto before = sandbox.listing();
  const Result result = sandbox.run(arguments, variables);
  CHECK_EQ(result.err, text);
  CHECK_EQ(result.out, "");
  CHECK_EQ(result.code, code);
  CHECK(sandbox.listing() == before);
}

std::vector<std::string> engine_targets() {
  static const tract::Candidates found = tract::find_engines(tract::search_from_environment(""));
  std::vector<std::string> out;
  for (const std::string version : {"0.23.9", "0.21.19", "0.21.13"}) {
    const bool has = std::any_of(
        found.engines.begin(), found.engines.end(),
        [&](const tract::Engine& each) { return each.version == tract::parse_version(version); });
    CHECK_MESSAGE((has || !engines_required()), "no tract ", version, ": run make setup");
    if (has) out.push_back("tract@" + version);
  }
  return out;
}

Variables no_engine() {
  return {{"T2NNEF_TRACT_LIB", ""}, {"PATH", ""}, {"VIRTUAL_ENV", std::nullopt}};
}

}  // namespace t2n::test
