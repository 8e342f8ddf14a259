// What the program says: results on stdout, everything else on stderr.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/diag/sink.h"

namespace t2n::cli {

/// To stdout, or to stderr while an output takes stdout. Characters that would steer the terminal
/// are escaped: most names come from files.
void print(std::string_view text);
/// JSON to stdout, escaped as JSON has it.
void print_json(std::string_view text);
/// To stderr, escaped as in print().
void say(std::string_view text);
/// An output is written to stdout: results go to stderr, so that it holds nothing else.
void give_away_stdout();

enum class Verbosity { quiet, normal, verbose };

/// What is said while work continues. Warnings at once, and once each; notes if verbose, else
/// counted; stages with their times on a terminal, or if verbose.
class Talk {
 public:
  explicit Talk(Verbosity verbosity);
  ~Talk();
  Talk(const Talk&) = delete;
  Talk& operator=(const Talk&) = delete;

  Report report();
  /// A stage of the work begins, the one before ends.
  void stage(std::string_view name);
  /// The last stage ends.
  void stop();
  /// All went well: says the times, and what was held back.
  void finish();
  /// Something that was asked for.
  void interject(const std::string& text);
  /// Unless quiet, a line.
  void line(const std::string& text);

  const std::vector<Diagnostic>& diagnostics() const { return seen_.items; }
  /// Names and seconds of what is finished.
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
  size_t held_back_ = 0;
};

}  // namespace t2n::cli
