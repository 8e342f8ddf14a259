// Keeps the progress line, warnings and results from overwriting one another.
#include "cli/console.h"

#include <unistd.h>

#include <array>
#include <cstdio>

#include "cli/terminal.h"
#include "cli/text.h"
#include "src/diag/error.h"
#include "src/diag/printable.h"

namespace t2n::cli {
namespace {

std::string seconds_str(double seconds) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.1f s", seconds);
  return text.data();
}

bool is_stdout_taken = false;

void write(std::string_view text, std::FILE* stream) {
  std::fwrite(text.data(), 1, text.size(), stream);
}

/// Writes our own escape codes to stderr unchanged.
void print_message_raw(std::string_view text) {
  std::fflush(stdout);  // keeps the order of output if both go to one terminal
  write(text, stderr);
}

}  // namespace

void print(std::string_view text) {
  if (is_stdout_taken) return print_message(text);
  write(colored_verdicts(printable(text)), stdout);
}

void print_json(std::string_view text) { write(printable_json(text), stdout); }

void print_message(std::string_view text) {
  print_message_raw(colored_diagnostics(printable(text)));
}

void reserve_stdout() { is_stdout_taken = true; }

Verbosity verbosity_of(bool quiet, bool verbose) {
  return quiet ? Verbosity::quiet : verbose ? Verbosity::verbose : Verbosity::normal;
}

Console::Console(Verbosity verbosity)
    : verbosity_(verbosity), on_terminal_(verbosity != Verbosity::quiet && isatty(STDERR_FILENO)) {}

Console::~Console() { clear_line(); }

Report Console::report() {
  return [this](const Diagnostic& diagnostic) {
    const size_t before = seen_.items.size();
    seen_.report()(diagnostic);
    if (seen_.items.size() > before) show(diagnostic);
  };
}

void Console::show(const Diagnostic& diagnostic) {
  const bool is_shown = diagnostic.severity != Severity::note || verbosity_ == Verbosity::verbose;
  if (!is_shown) {
    ++hidden_notes_;
    return;
  }
  print_above_progress(render_text(diagnostic));
}

void Console::print_above_progress(const std::string& text) {
  clear_line();
  print_message(text);
}

std::function<void(std::string_view stage)> Console::progress() {
  return [this](std::string_view name) {
    if (name != "done") stage(name);
  };
}

void Console::stage(std::string_view name) {
  stop();
  current_ = name;
  began_ = std::chrono::steady_clock::now();
  if (!on_terminal_) return;
  print_message_raw(cat("\r\033[K", printable_line(cat(timeline_, name)), "…"));
  has_line_ = true;
}

void Console::stop() {
  clear_line();
  if (current_.empty()) return;
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - began_;
  timeline_ += cat("[", current_, " ", seconds_str(time.count()), "] ");
  stages_.emplace_back(std::exchange(current_, {}), time.count());
}

void Console::finish() {
  stop();
  if (on_terminal_ || verbosity_ == Verbosity::verbose) print_message(timeline_ + "\n");
  if (hidden_notes_ > 0) line(cat(counted(hidden_notes_, "note"), " hidden; -v shows them"));
}

void Console::line(const std::string& text) {
  if (verbosity_ != Verbosity::quiet) print_above_progress(text + "\n");
}

void Console::clear_line() {
  if (std::exchange(has_line_, false)) print_message_raw("\r\033[K");
}

}  // namespace t2n::cli
