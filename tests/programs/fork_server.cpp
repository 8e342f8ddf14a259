// SPDX-License-Identifier: Apache-2.0
/// Preloaded into t2nnef, it makes the process load LibTorch once and serve many command lines,
/// each in a fork: to load LibTorch takes five times as long as to export a small program.
///
/// A request on stdin: the count of bytes (8, little endian), then zero-terminated texts: the file
/// that gets what is said, and the arguments. The answer on stdout: the status that waitpid gives
/// (4 bytes).

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

namespace {

using Main = int (*)(int, char**, char**);
using LibcStart = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);

Main program_main = nullptr;

void require(bool holds, const char* what) {
  if (!holds) {
    std::perror(what);
    std::_Exit(EXIT_FAILURE);
  }
}

bool read_all(void* to, std::size_t count) { return std::fread(to, 1, count, stdin) == count; }

std::vector<std::string> read_request() {
  std::uint64_t count = 0;
  if (!read_all(&count, sizeof count)) {
    return {};
  }
  std::string text(count, '\0');
  require(read_all(text.data(), count), "request");
  std::vector<std::string> texts;
  for (std::size_t begin = 0; begin < count; begin += texts.back().size() + 1) {
    texts.emplace_back(text.c_str() + begin);
  }
  return texts;
}

void become_program(const std::string& said) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // whoever ends the server ends what it runs
  const int output = ::open(said.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int none = ::open("/dev/null", O_RDONLY);
  require(output >= 0 && none >= 0, said.c_str());
  ::dup2(none, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
}

int serve(int /*argc*/, char** argv, char** environment) {
  ::unsetenv("LD_PRELOAD");
  std::istringstream libraries(std::getenv("T2NNEF_FORK_SERVER_LOADS"));  // paths, with ':'
  for (std::string path; std::getline(libraries, path, ':');) {
    require(::dlopen(path.c_str(), RTLD_LAZY | RTLD_GLOBAL) != nullptr, path.c_str());
  }
  for (std::vector<std::string> request = read_request(); !request.empty();
       request = read_request()) {
    const pid_t child = ::fork();
    require(child >= 0, "fork");
    if (child == 0) {
      become_program(request.front());
      std::vector<char*> arguments{argv[0]};
      for (std::size_t i = 1; i < request.size(); ++i) {
        arguments.push_back(request[i].data());
      }
      arguments.push_back(nullptr);
      std::exit(program_main(static_cast<int>(request.size()), arguments.data(), environment));
    }
    std::int32_t status = 0;
    require(::waitpid(child, &status, 0) == child, "waitpid");
    require(::write(STDOUT_FILENO, &status, sizeof status) == sizeof status, "answer");
  }
  return EXIT_SUCCESS;
}

}  // namespace

extern "C" int __libc_start_main(Main main, int argc, char** argv, void (*init)(), void (*fini)(),
                                 void (*linker_fini)(), void* stack_end) {
  const auto start = reinterpret_cast<LibcStart>(::dlsym(RTLD_NEXT, "__libc_start_main"));
  program_main = main;
  return start(std::getenv("T2NNEF_FORK_SERVER_LOADS") != nullptr ? serve : main, argc, argv, init,
               fini, linker_fini, stack_end);
}
