// SPDX-License-Identifier: Apache-2.0
// Rust's error chains and panic messages, flattened.
#include "src/tract/wording.h"

#include <algorithm>

namespace t2n::tract {
namespace {

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

/// Lines without trailing blanks; empty ones are left out.
std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (!trim(line).empty()) lines.emplace_back(line.substr(0, line.find_last_not_of(" \t\r") + 1));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

/// `Identifier("x")` is Rust's notation of a name.
std::string plain_names(std::string text) {
  constexpr std::string_view kOpen = "Identifier(\"";
  constexpr std::string_view kClose = "\")";
  for (size_t at = text.find(kOpen); at != std::string::npos; at = text.find(kOpen, at)) {
    const size_t end = text.find(kClose, at);
    if (end == std::string::npos) break;
    const size_t name = at + kOpen.size();
    text.replace(at, end + kClose.size() - at, "'" + text.substr(name, end - name) + "'");
  }
  return text;
}

/// The text after "3: "; empty if the line is not a numbered cause.
std::string_view numbered(std::string_view line) {
  const std::string_view text = trim(line);
  const size_t colon = text.find(": ");
  if (colon == 0 || colon == std::string_view::npos || colon > 3) return {};
  const std::string_view number = text.substr(0, colon);
  const bool digits =
      std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; });
  return digits ? text.substr(colon + 2) : std::string_view{};
}

/// Removes the indentation common to all causes, but keeps that of a caret.
std::string unindented(std::string_view line) {
  constexpr size_t kIndent = 4;
  const size_t blank = std::min(line.find_first_not_of(' '), kIndent);
  return std::string(line.substr(blank));
}

/// One entry per cause, with the lines that continue it.
std::vector<std::vector<std::string>> causes_of(const std::vector<std::string>& lines) {
  std::vector<std::vector<std::string>> causes;
  bool inside = false;
  for (const std::string& line : lines) {
    if (line == "Caused by:") {
      inside = true;
      causes.emplace_back();
      continue;
    }
    const std::string_view numbered_text = inside ? numbered(line) : std::string_view{};
    if (causes.empty() || (!numbered_text.empty() && !causes.back().empty())) causes.emplace_back();
    const std::string text = numbered_text.empty() ? unindented(line) : std::string(numbered_text);
    causes.back().push_back(plain_names(text));
  }
  return causes;
}

}  // namespace

Reason reason_of_error(std::string_view text) {
  const size_t backtrace = text.find("\n\nStack backtrace:");
  auto causes = causes_of(lines_of(text.substr(0, backtrace)));
  // "opening file" shows a path that the user did not choose, often of a temporary file.
  if (causes.size() > 1 && causes.front().front().starts_with("opening file "))
    causes.erase(causes.begin());
  if (causes.empty() || causes.back().empty()) return {"no reason given", {}};
  Reason reason{causes.back().front(), {}};
  std::vector<std::string> root(causes.back().begin() + 1, causes.back().end());
  causes.pop_back();
  for (const auto& cause : causes)
    reason.details.insert(reason.details.end(), cause.begin(), cause.end());
  reason.details.insert(reason.details.end(), root.begin(), root.end());
  return reason;
}

Reason reason_of_crash(std::string_view output) {
  const std::vector<std::string> lines = lines_of(output);
  const auto is_note = [](const std::string& line) {
    return line.starts_with("note: run with") || line.starts_with("stack backtrace:");
  };
  constexpr std::string_view kPanicked = " panicked at ";
  const auto panic = std::find_if(lines.begin(), lines.end(), [&](const std::string& line) {
    return line.find(kPanicked) != std::string::npos;
  });
  if (panic == lines.end()) {
    const auto last = std::find_if_not(lines.rbegin(), lines.rend(), is_note);
    return {last == lines.rend() ? "" : *last, {}};
  }
  std::string location = panic->substr(panic->find(kPanicked) + kPanicked.size());
  if (location.ends_with(':')) location.pop_back();
  Reason reason{"panic", {}};
  const auto end = std::find_if(panic + 1, lines.end(), [&](const std::string& line) {
    return is_note(line) || line.starts_with("thread ");
  });
  if (end != panic + 1) reason.headline = panic[1];
  if (end - panic > 2) reason.details.assign(panic + 2, end);
  reason.details.push_back("at " + location);
  return reason;
}

}  // namespace t2n::tract
