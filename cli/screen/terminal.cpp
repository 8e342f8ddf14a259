// SPDX-License-Identifier: Apache-2.0
// Colours are added to text that is printable already: no name in it can change them.
#include "cli/screen/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "src/diag/environment.h"
#include "src/diag/error.h"

namespace t2n::cli {
namespace {

enum class ColorMode { automatic, always, never };
ColorMode color_mode = ColorMode::automatic;

constexpr std::string_view kRed = "\033[1;31m";
constexpr std::string_view kYellow = "\033[1;33m";
constexpr std::string_view kCyan = "\033[1;36m";
constexpr std::string_view kGreen = "\033[32m";
constexpr std::string_view kBold = "\033[1m";
constexpr std::string_view kPlain = "\033[0m";

bool has_colors(int stream) {
  switch (color_mode) {
    case ColorMode::always: return true;
    case ColorMode::never: return false;
    case ColorMode::automatic: break;
  }
  return isatty(stream) == 1 && environment_value("NO_COLOR").empty() &&
         environment_value("TERM") != "dumb";
}

std::string in_color(std::string_view color, std::string_view text) {
  return cat(color, text, kPlain);
}

/// Calls `change(line)` for each line, without its line break.
template <typename Change>
std::string changed_lines(std::string_view text, Change change) {
  std::string out;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    out += change(text.substr(0, end));
    if (end < text.size()) out += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string colored_line(std::string_view line) {
  constexpr std::pair<std::string_view, std::string_view> kHeads[] = {
      {"error[", kRed}, {"warning[", kYellow}, {"note[", kCyan}, {"internal error", kRed}};
  for (const auto& [head, color] : kHeads)
    if (line.starts_with(head)) {
      const size_t end = std::min(line.find(':'), line.size());
      return in_color(color, line.substr(0, end)) + std::string(line.substr(end));
    }
  for (const std::string_view label : {"  why:", "  help:", "  -->"})
    if (line.starts_with(label))
      return in_color(kBold, label) + std::string(line.substr(label.size()));
  const bool is_caret = line.starts_with("   |  ") && line.find_first_not_of(" ^|") == line.npos &&
                        line.find('^') != line.npos;
  return is_caret ? in_color(kRed, line) : std::string(line);
}

std::string with_verdict(std::string_view line) {
  constexpr std::pair<std::string_view, std::string_view> kVerdicts[] = {
      {"  ok", kGreen}, {"  DIFFERS", kRed}, {"  inconclusive", kYellow}};
  for (const auto& [verdict, color] : kVerdicts)
    if (line.starts_with("  ") && line.ends_with(verdict) && line.size() > verdict.size())
      return std::string(line.substr(0, line.size() - verdict.size())) + in_color(color, verdict);
  return std::string(line);
}

}  // namespace

void set_color(const std::string& mode) {
  constexpr std::pair<std::string_view, ColorMode> kModes[] = {
      {"auto", ColorMode::automatic}, {"always", ColorMode::always}, {"never", ColorMode::never}};
  for (const auto& [name, value] : kModes)
    if (mode == name) {
      color_mode = value;
      return;
    }
  throw Error("usage", cat("--color ", quoted(mode), " is not known"), {},
              "write --color auto, always or never");
}

std::optional<size_t> terminal_width(int stream) {
  winsize size{};
  if (ioctl(stream, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::nullopt;
  return size.ws_col;
}

std::optional<size_t> known_width() {
  constexpr size_t kLeast = 20;
  const std::string columns = environment_value("COLUMNS");
  size_t width = 0;
  const auto [end, error] = std::from_chars(columns.data(), columns.data() + columns.size(), width);
  if (error == std::errc() && end == columns.data() + columns.size() && width >= kLeast)
    return width;
  if (isatty(STDOUT_FILENO) != 1) return std::nullopt;
  const std::optional<size_t> out = terminal_width(STDOUT_FILENO);
  return out >= kLeast ? out : std::nullopt;
}

size_t line_width() {
  constexpr size_t kUsual = 80;
  return known_width().value_or(kUsual);
}

std::string colored_diagnostics(std::string_view text) {
  return has_colors(STDERR_FILENO) ? changed_lines(text, colored_line) : std::string(text);
}

std::string colored_verdicts(std::string_view text) {
  return has_colors(STDOUT_FILENO) ? changed_lines(text, with_verdict) : std::string(text);
}

}  // namespace t2n::cli
