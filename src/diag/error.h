// SPDX-License-Identifier: Apache-2.0
// The one exception type that the project throws, and the one assertion macro.
#pragma once

#include <exception>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "src/diag/diagnostic.h"

namespace t2n {

/// Concatenates printable values. Callers convert doubles to shortest round-trip form.
template <typename... Parts>
std::string cat(const Parts&... parts) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  (out << ... << parts);
  return std::move(out).str();
}

/// An exception with a Diagnostic; handlers distinguish errors by its id and fields.
class Error : public std::exception {
 public:
  explicit Error(Diagnostic diagnostic);
  /// One of several refusals of a model.
  Error(Diagnostic diagnostic, std::vector<Diagnostic> others);
  Error(std::string_view id, std::string message, std::string why = {}, std::string help = {},
        std::string subject = {});

  const Diagnostic& diagnostic() const { return diagnostic_; }
  Diagnostic& diagnostic() { return diagnostic_; }
  /// The other refusals, in the program's order; the code is that of diagnostic().
  const std::vector<Diagnostic>& others() const { return others_; }
  ExitCode code() const { return exit_code(diagnostic_.id); }
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  Diagnostic diagnostic_;
  std::vector<Diagnostic> others_ = {};
  std::string text_;
};

/// Throws Error "internal": a bug in t2nnef, exit code 1. `where` is "file:line".
[[noreturn]] void internal_error(std::string_view file, int line, const std::string& message);

/// `text` in single quotes. Each string type needs an overload; otherwise std::quoted would match.
std::string quoted(std::string_view text);
inline std::string quoted(const std::string& text) { return quoted(std::string_view(text)); }
inline std::string quoted(std::string& text) { return quoted(std::string_view(text)); }
inline std::string quoted(const char* text) { return quoted(std::string_view(text)); }

/// "a, b, c" for the separator ", "
std::string joined(const std::vector<std::string>& parts, std::string_view separator);

/// The candidate of which `text` is a likely misspelling, or "": for "did you mean". At most a
/// third of its letters differ, at most half of a short one; upper and lower case are equal.
std::string nearest(std::string_view text, const std::vector<std::string>& candidates);

}  // namespace t2n

/// An invariant of our own code; a violation is reported as a bug, never as the user's error.
#define T2N_ASSERT(condition, ...)                                                        \
  do {                                                                                    \
    if (!(condition)) ::t2n::internal_error(__FILE__, __LINE__, ::t2n::cat(__VA_ARGS__)); \
  } while (false)
