// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fork_server.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>

#include "src/diag/error.h"

namespace t2n::test {
namespace {

class Server {
 public:
  Server(const std::string& program, const std::string& library) {
    const std::string folder = std::filesystem::canonical(program).parent_path().string();
    const std::string preload = "LD_PRELOAD=" + library;
    const std::string loads = cat("T2NNEF_FORK_SERVER_LOADS=", folder,
                                  "/torch/lib/libtorch_cpu.so:", folder, "/libt2nnef_torch.so");
    int requests[2];
    int answers[2];
    REQUIRE_EQ(pipe2(requests, O_CLOEXEC), 0);
    REQUIRE_EQ(pipe2(answers, O_CLOEXEC), 0);
    std::vector<std::string> texts = {preload, loads};
    std::vector<char*> variables;
    for (char** entry = environ; *entry != nullptr; ++entry) variables.push_back(*entry);
    for (std::string& text : texts) variables.push_back(text.data());
    variables.push_back(nullptr);
    std::string name = program;
    char* const words[] = {name.data(), nullptr};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, requests[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, answers[1], STDOUT_FILENO);
    pid_t pid = -1;
    const int error = posix_spawn(&pid, words[0], &actions, nullptr, words, variables.data());
    posix_spawn_file_actions_destroy(&actions);
    REQUIRE_EQ(error, 0);
    close(requests[0]);
    close(answers[1]);
    requests_ = requests[1];
    answers_ = answers[0];
  }

  /// It ends with this process, which keeps the end of the pipe.
  pid_t start(const std::string& request) const {
    const std::uint64_t size = request.size();
    REQUIRE_EQ(write(requests_, &size, sizeof size), sizeof size);
    REQUIRE_EQ(write(requests_, request.data(), size), size);
    std::int32_t pid = -1;
    REQUIRE_EQ(read(answers_, &pid, sizeof pid), sizeof pid);
    return pid;
  }

 private:
  int requests_ = -1;
  int answers_ = -1;
};

std::string request_of(const Start& start) {
  const auto descriptor = [](int number) { return cat("/proc/", getpid(), "/fd/", number); };
  std::vector<std::string> texts = {start.folder, descriptor(start.out), descriptor(start.err),
                                    std::to_string(start.arguments.size())};
  texts.insert(texts.end(), start.arguments.begin(), start.arguments.end());
  texts.insert(texts.end(), start.environment.begin(), start.environment.end());
  std::string out;
  for (const std::string& text : texts) out.append(text).push_back('\0');
  return out;
}

}  // namespace

std::optional<pid_t> start_by_server(const std::string& program, const Start& start) {
  const char* const library = std::getenv("T2NNEF_FORK_SERVER");
  if (library == nullptr) return std::nullopt;
  static const Server server(program, library);
  return server.start(request_of(start));
}

}  // namespace t2n::test
