// SPDX-License-Identifier: Apache-2.0
// The only place where errors become text and exit codes.
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "cli/commands.h"
#include "cli/process.h"
#include "cli/screen/console.h"
#include "cli/system_errors.h"
#include "src/confine/confine.h"
#include "src/diag/error.h"
#include "src/tract/worker.h"

namespace t2n::cli {
namespace {

int fail(const Error& error) {
  for (const Diagnostic& other : error.others()) print_message(render_text(other));
  print_message(error.what());
  return static_cast<int>(error.code());
}

int guarded(int argc, char** argv) {
  try {
    return static_cast<int>(run_command_line(argc, argv));
  } catch (...) {
    return fail(current_error());
  }
}

/// Results that could not be written are an error, unless the reader closed the pipe.
int flushed(int code) {
  errno = 0;
  const bool failed = std::fflush(stdout) != 0 || std::ferror(stdout) != 0;
  if (!failed || code != 0 || errno == EPIPE) return code;
  print_message("error[cannot-write]: cannot write to standard output\n");
  return static_cast<int>(ExitCode::cannot_write);
}

}  // namespace
}  // namespace t2n::cli

int main(int argc, char** argv) {
  int code = 0;
  if (t2n::tract::maybe_run_worker(argc, argv, &code)) return code;
  t2n::cli::handle_signals();
  t2n::confine::arm();
  t2n::cli::on_enough_stack([&] { code = t2n::cli::guarded(argc, argv); });
  t2n::confine::leave();
  _exit(t2n::cli::flushed(code));  // destroying LibTorch's statics takes 75 ms
}
