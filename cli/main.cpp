// The one place where errors and signals become text and exit codes.
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <system_error>

#include "cli/commands.h"
#include "cli/talk.h"
#include "nnef_writer/temporary.h"
#include "src/diag/error.h"
#include "src/limits/limits.h"
#include "src/limits/watch.h"
#include "src/tract/worker.h"

namespace t2n::cli {
namespace {

void on_interrupt(int /*signal*/) {
  limits::end_now(static_cast<int>(ExitCode::interrupted),
                  "error[interrupted]: stopped by a signal\n");
}

void on_bus_error(int /*signal*/) {
  limits::end_now(static_cast<int>(ExitCode::unreadable),
                  "error[model-corrupt]: the model file changed while it was read\n"
                  "  help: try again when nothing writes to it any more\n");
}

#if !defined(__SANITIZE_ADDRESS__)
/// The last resort: nothing stays behind, and somebody says so.
void on_crash(int signal) {
  const char* const name = sigabbrev_np(signal);
  std::array<char, 160> text;
  std::snprintf(text.data(), text.size(),
                "internal error: crashed (SIG%s)\n"
                "  why:  this is a bug in t2nnef or in LibTorch\n"
                "  help: please report it with the command you ran\n",
                name == nullptr ? "?" : name);
  limits::end_now(static_cast<int>(ExitCode::bug), text.data());
}

/// On a stack of its own: the other one may have overflowed.
void handle_crashes() {
  static std::array<char, 1 << 16> stack;
  const stack_t other{.ss_sp = stack.data(), .ss_flags = 0, .ss_size = stack.size()};
  sigaltstack(&other, nullptr);
  struct sigaction action {};
  action.sa_handler = on_crash;
  action.sa_flags = SA_ONSTACK;
  for (const int signal : {SIGSEGV, SIGFPE, SIGILL, SIGABRT}) sigaction(signal, &action, nullptr);
}
#else
void handle_crashes() {}  // the sanitizer has more to say
#endif

/// What was ignored at the start stays so: `nohup` means it.
void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  struct sigaction before {};
  if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
    sigaction(signal, &action, nullptr);
}

int fail(const Error& error) {
  say(error.what());
  return static_cast<int>(error.code());
}

Error out_of_memory() {
  return {"memory-limit", "there is not enough memory",
          cat("t2nnef may use ", limits::bytes_text(limits::max_memory()),
              ", and `ulimit -v` may allow less"),
          "allow it more, or give smaller inputs"};
}

/// What the system refuses is none of our bugs.
Error system_error(const std::system_error& error) {
  return {"memory-limit",
          cat("the system refuses: ", error.what()),
          {},
          "raise the limits that `ulimit -a` shows"};
}

/// Of the standard library, about a path that changed while we looked at it, or has no text.
Error path_error(const std::filesystem::filesystem_error& error) {
  return {"cannot-write", cat("cannot use ", quoted(error.path1().string())),
          error.code().message(), "choose another place with -o"};
}

int guarded(int argc, char** argv) {
  try {
    return static_cast<int>(run_command_line(argc, argv));
  } catch (const Error& error) {
    return fail(error);
  } catch (const std::bad_alloc&) {
    return fail(out_of_memory());
  } catch (const std::length_error&) {
    return fail(out_of_memory());
  } catch (const std::filesystem::filesystem_error& error) {
    return fail(path_error(error));
  } catch (const std::system_error& error) {
    return fail(system_error(error));
  } catch (const std::exception& error) {
    say(cat("internal error: ", error.what(), "\n",
            "  why:  this is a bug in t2nnef, not in your model\n",
            "  help: please report it with the command you ran\n"));
    return static_cast<int>(ExitCode::bug);
  }
}

/// Results that nobody could take are no success; a reader that left early knows that itself.
int flushed(int code) {
  errno = 0;
  const bool failed = std::fflush(stdout) != 0 || std::ferror(stdout) != 0;
  if (!failed || code != 0 || errno == EPIPE) return code;
  say("error[cannot-write]: cannot write to standard output\n");
  return static_cast<int>(ExitCode::cannot_write);
}

}  // namespace
}  // namespace t2n::cli

int main(int argc, char** argv) {
  int code = 0;
  if (t2n::tract::maybe_run_worker(argc, argv, &code)) return code;
  t2n::limits::set_cleanup(t2n::nnef::remove_temporaries);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    t2n::cli::handle(signal, t2n::cli::on_interrupt);
  t2n::cli::handle_crashes();
  t2n::cli::handle(SIGBUS, t2n::cli::on_bus_error);
  for (const int signal : {SIGPIPE, SIGXFSZ}) ::signal(signal, SIG_IGN);  // writes say it
  code = t2n::cli::flushed(t2n::cli::guarded(argc, argv));
  _exit(code);  // the destruction of LibTorch's statics takes 75 ms
}
