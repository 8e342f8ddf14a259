// SPDX-License-Identifier: Apache-2.0
// The program's output: results on stdout, everything else on stderr.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/diag/sink.h"
#include "src/diag/steps.h"
#include "src/report/command_report.h"

namespace t2n::cli {

/// To stdout, or to stderr if an output uses stdout. Characters that control the terminal are
/// escaped: most names come from files, as are commands of workflow runners.
void print(std::string_view text);
/// To stderr, escaped as in print().
void print_message(std::string_view text);
/// What stdout is for.
enum class StdoutUse {
  text,    ///< results as text
  output,  ///< an output: text goes to stderr
  report,  ///< the report alone: text is dropped
};
void use_stdout_for(StdoutUse use);
StdoutUse stdout_use();

enum class Verbosity { quiet, normal, verbose };
Verbosity verbosity_of(bool quiet, bool verbose);

/// Messages while work continues. Prints each warning once, immediately; notes if verbose, else
/// their number. If verbose, prints a line for each step: on a terminal it grows while the step
/// runs. Else prints one line with all steps, on a terminal only.
class Console {
 public:
  /// Diagnostics and steps are also in `report`.
  Console(Verbosity verbosity, report::CommandReport& report);
  ~Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  Report report();
  /// Receives steps: each ends when the next one begins. "done" is none.
  Progress progress();
  /// Numbers the steps with these names: "[1/6]".
  void expect_steps(std::vector<std::string> names) { expected_ = std::move(names); }
  /// Ends the last step, of which nothing more is known.
  void stop();
  /// Ends the last step, which an error interrupted.
  void fail();
  /// Called on success: prints the times, and the number of hidden notes.
  void finish();
  /// Prints something that was requested.
  void print_above_progress(const std::string& text);
  /// Prints a line, unless quiet.
  void line(const std::string& text);

 private:
  void begin(std::string_view name);
  void end(StepSummary summary, bool has_failed);
  std::string number_of(std::string_view step) const;
  void show_running(std::string_view detail);
  void clear_line();
  void show(const Diagnostic& diagnostic);

  Verbosity verbosity_;
  bool on_terminal_;
  bool has_line_ = false;
  std::string current_;
  std::string timeline_;
  std::chrono::steady_clock::time_point began_;
  std::vector<std::string> expected_;
  report::CommandReport& report_;
  size_t hidden_notes_ = 0;
};

}  // namespace t2n::cli
