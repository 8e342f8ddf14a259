// SPDX-License-Identifier: Apache-2.0
// Keeps the progress line, warnings and results from overwriting one another.
#include "cli/screen/console.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "cli/screen/terminal.h"
#include "cli/screen/text.h"
#include "src/diag/error.h"
#include "src/diag/printable.h"

namespace t2n::cli {
namespace {

std::string seconds_str(double seconds) { return number_text("%.1f s", seconds); }

/// Of the terminal; of a line in a file, if there is none.
size_t columns() {
  constexpr size_t kOfFiles = 160, kLeast = 40;
  return std::max(terminal_width(STDERR_FILENO).value_or(kOfFiles), kLeast);
}

/// "trace      0.1 s  70 operations, 3 outputs · %conv1: f32[1,64,112,112] = aten::conv2d"
std::string step_text(const Step& step) {
  std::string out = step.name;
  constexpr size_t kNames = 10;
  if (out.size() < kNames) out.resize(kNames, ' ');
  out += cat(" ", seconds_str(step.seconds));
  std::vector<std::string> counts;
  for (const auto& [noun, count] : step.counts)
    counts.push_back(counted(static_cast<size_t>(count), noun));
  if (!counts.empty()) out += cat("  ", joined(counts, ", "));
  if (!step.result.empty()) out += cat(counts.empty() ? "  " : " · ", step.result);
  return step.has_failed ? out + "  failed" : out;
}

StdoutUse use_of_stdout = StdoutUse::text;

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
  if (use_of_stdout == StdoutUse::report) return;
  if (use_of_stdout == StdoutUse::output) return print_message(text);
  write(colored_verdicts(without_commands(printable(text))), stdout);
}

void print_message(std::string_view text) {
  print_message_raw(colored_diagnostics(without_commands(printable(text))));
}

void use_stdout_for(StdoutUse use) { use_of_stdout = use; }

StdoutUse stdout_use() { return use_of_stdout; }

Verbosity verbosity_of(bool quiet, bool verbose) {
  return quiet ? Verbosity::quiet : verbose ? Verbosity::verbose : Verbosity::normal;
}

Console::Console(Verbosity verbosity, report::CommandReport& report)
    : verbosity_(verbosity),
      on_terminal_(verbosity != Verbosity::quiet && isatty(STDERR_FILENO)),
      report_(report) {}

Console::~Console() { fail(); }

Report Console::report() {
  return [this](const Diagnostic& diagnostic) {
    const size_t before = report_.diagnostics.items.size();
    report_.diagnostics.report()(diagnostic);
    if (report_.diagnostics.items.size() > before) show(diagnostic);
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

Progress Console::progress() {
  return {.on_begin = [this](std::string_view step) { begin(step); },
          .on_detail = [this](std::string_view detail) { show_running(detail); },
          .on_end = [this](StepSummary summary) { end(std::move(summary), false); }};
}

void Console::begin(std::string_view name) {
  stop();
  if (name == "done") return;
  current_ = name;
  began_ = std::chrono::steady_clock::now();
  show_running({});
}

void Console::show_running(std::string_view detail) {
  if (!on_terminal_ || current_.empty()) return;
  const std::string text = verbosity_ == Verbosity::verbose
                               ? cat(number_of(current_), current_, "…  ", detail)
                               : cat(timeline_, current_, "…");
  print_message_raw(cat("\r\033[K", clipped(printable_line(text), columns())));
  has_line_ = true;
}

/// "[3/6] ", also of "encode: trace".
std::string Console::number_of(std::string_view step) const {
  for (size_t i = 0; i < expected_.size(); ++i)
    if (step == expected_[i] || step.ends_with(cat(": ", expected_[i])))
      return cat("[", i + 1, "/", expected_.size(), "] ");
  return {};
}

void Console::end(StepSummary summary, bool has_failed) {
  clear_line();
  if (current_.empty()) return;
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - began_;
  timeline_ += cat("[", current_, " ", seconds_str(time.count()), "] ");
  Step& step = report_.steps.emplace_back();
  static_cast<StepSummary&>(step) = std::move(summary);
  step.name = std::exchange(current_, {});
  step.seconds = time.count();
  step.has_failed = has_failed;
  if (verbosity_ == Verbosity::verbose)
    print_message(
        cat(clipped(printable_line(cat(number_of(step.name), step_text(step))), columns()), "\n"));
}

void Console::stop() { end({}, false); }

void Console::fail() { end({}, true); }

void Console::finish() {
  stop();
  if (on_terminal_ && verbosity_ != Verbosity::verbose) print_message(timeline_ + "\n");
  if (hidden_notes_ > 0)
    line(cat(counted(hidden_notes_, "note"), " hidden; -v shows ",
             hidden_notes_ == 1 ? "it" : "them"));
}

void Console::line(const std::string& text) {
  if (verbosity_ != Verbosity::quiet) print_above_progress(text + "\n");
}

void Console::clear_line() {
  if (std::exchange(has_line_, false)) print_message_raw("\r\033[K");
}

}  // namespace t2n::cli
