// SPDX-License-Identifier: Apache-2.0
/// Preloaded into t2nnef, it makes the process load LibTorch once and serve many command lines,
/// each in a fork: to load LibTorch takes five times as long as to export a small program.
///
/// A request on stdin: the count of bytes (8, little endian), then zero-terminated texts: the
/// folder to work in, the files that get stdout and stderr, the count of arguments, these, and the
/// environment. The answer on stdout: the process (4 bytes), a child of the server's parent, which
/// waits for it.

#include <dlfcn.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
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

struct Request {
  std::string folder;
  std::string out;
  std::string err;
  std::vector<std::string> arguments;
  std::vector<std::string> environment;
};

void require(bool holds, const char* what) {
  if (!holds) {
    std::perror(what);
    std::_Exit(EXIT_FAILURE);
  }
}

bool read_all(void* to, std::size_t count) { return std::fread(to, 1, count, stdin) == count; }

std::vector<std::string> read_texts() {
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

Request parse(const std::vector<std::string>& texts) {
  const auto arguments = texts.begin() + 4;
  const auto environment = arguments + std::stol(texts[3]);
  return {texts[0], texts[1], texts[2], {arguments, environment}, {environment, texts.end()}};
}

void redirect(const std::string& file, int flags, int to) {
  const int descriptor = ::open(file.c_str(), flags, 0600);
  require(descriptor >= 0 && ::dup2(descriptor, to) == to, file.c_str());
  ::close(descriptor);
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) {
    out.push_back(text.data());
  }
  out.push_back(nullptr);
  return out;
}

[[noreturn]] void become_program(Request request, char* program) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // whoever ends the tests ends what they run
  require(::chdir(request.folder.c_str()) == 0, request.folder.c_str());
  redirect("/dev/null", O_RDONLY, STDIN_FILENO);
  redirect(request.out, O_WRONLY | O_CREAT, STDOUT_FILENO);
  redirect(request.err, O_WRONLY | O_CREAT | O_APPEND, STDERR_FILENO);
  std::vector<char*> variables = pointers(request.environment);
  environ = variables.data();
  std::vector<char*> arguments = pointers(request.arguments);
  arguments.insert(arguments.begin(), program);
  std::exit(program_main(static_cast<int>(arguments.size()) - 1, arguments.data(), environ));
}

int serve(int /*argc*/, char** argv, char** /*environment*/) {
  std::istringstream libraries(std::getenv("T2NNEF_FORK_SERVER_LOADS"));  // paths, with ':'
  for (std::string path; std::getline(libraries, path, ':');) {
    require(::dlopen(path.c_str(), RTLD_LAZY | RTLD_GLOBAL) != nullptr, path.c_str());
  }
  for (auto texts = read_texts(); !texts.empty(); texts = read_texts()) {
    const auto child = static_cast<std::int32_t>(
        ::syscall(SYS_clone, CLONE_PARENT | SIGCHLD, nullptr, nullptr, nullptr, nullptr));
    require(child >= 0, "clone");
    if (child == 0) {
      become_program(parse(texts), argv[0]);
    }
    require(::write(STDOUT_FILENO, &child, sizeof child) == sizeof child, "answer");
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
