// The program's output: results on stdout, everything else on stderr.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/diag/sink.h"

namespace t2n::cli {

/// To stdout, or to stderr if an output uses stdout. Characters that control the terminal are
/// escaped: most names come from files.
void print(std::string_view text);
/// JSON to stdout, with JSON's escapes.
void print_json(std::string_view text);
/// To stderr, escaped as in print().
void print_message(std::string_view text);
/// Reserves stdout for an output file: results go to stderr from now on.
void reserve_stdout();

enum class Verbosity { quiet, normal, verbose };
Verbosity verbosity_of(bool quiet, bool verbose);

/// Messages while work continues. Prints each warning once, immediately; notes if verbose, else
/// their number; stages with their times on a terminal, or if verbose.
class Console {
 public:
  explicit Console(Verbosity verbosity);
  ~Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  Report report();
  /// Starts a stage; the previous one ends.
  void stage(std::string_view name);
  /// Calls stage(), except for "done".
  std::function<void(std::string_view stage)> progress();
  /// Ends the last stage.
  void stop();
  /// Called on success: prints the times, and the number of hidden notes.
  void finish();
  /// Prints something that was requested.
  void print_above_progress(const std::string& text);
  /// Prints a line, unless quiet.
  void line(const std::string& text);

  const std::vector<Diagnostic>& diagnostics() const { return seen_.items; }
  /// Names and seconds of finished stages.
  const std::vector<std::pair<std::string, double>>& stages() const { return stages_; }

 private:
  void clear_line();
  void show(const Diagnostic& diagnostic);

  Verbosity verbosity_;
  bool on_terminal_;
  bool has_line_ = false;
  std::string current_;
  std::string timeline_;
  std::chrono::steady_clock::time_point began_;
  std::vector<std::pair<std::string, double>> stages_;
  DiagnosticList seen_;
  size_t hidden_notes_ = 0;
};

}  // namespace t2n::cli
