// The one place where errors and signals become text and exit codes.
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "cli/commands.h"
#include "cli/talk.h"
#include "nnef_writer/temporary.h"
#include "src/confine/confine.h"
#include "src/diag/error.h"
#include "src/tract/worker.h"

namespace t2n::cli {
namespace {

/// For signal handlers: nothing that allocates or locks.
[[noreturn]] void end_now(ExitCode code, std::string_view text) {
  nnef::remove_temporaries();
  const ssize_t ignored = write(STDERR_FILENO, text.data(), text.size());
  static_cast<void>(ignored);
  _exit(static_cast<int>(code));
}

void on_interrupt(int /*signal*/) {
  end_now(ExitCode::interrupted, "error[interrupted]: stopped by a signal\n");
}

void on_bus_error(int /*signal*/) {
  end_now(ExitCode::unreadable,
          "error[model-corrupt]: the model file changed while it was read\n"
          "  help: try again when nothing writes to it any more\n");
}

/// What was ignored at the start stays so: `nohup` means it.
void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  struct sigaction before {};
  if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
    sigaction(signal, &action, nullptr);
}

int guarded(int argc, char** argv) {
  try {
    return static_cast<int>(run_command_line(argc, argv));
  } catch (const Error& error) {
    say(error.what());
    return static_cast<int>(error.code());
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
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    t2n::cli::handle(signal, t2n::cli::on_interrupt);
  t2n::cli::handle(SIGBUS, t2n::cli::on_bus_error);
  t2n::confine::arm();
  for (const int signal : {SIGPIPE, SIGXFSZ}) ::signal(signal, SIG_IGN);  // writes say it
  code = t2n::cli::flushed(t2n::cli::guarded(argc, argv));
  _exit(code);  // the destruction of LibTorch's statics takes 75 ms
}
