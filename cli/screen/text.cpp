// SPDX-License-Identifier: Apache-2.0
// Formatting, independent of the locale.
#include "cli/screen/text.h"

#include <algorithm>
#include <array>
#include <optional>
#include <sstream>

#include "cli/screen/terminal.h"
#include "ir/readable.h"
#include "src/diag/error.h"
#include "src/diag/printable.h"
#include "src/export/report_parts.h"

namespace t2n::cli {
namespace {

/// Three digits with a unit of thousands; no unit below a thousand.
std::string scaled(int64_t count, std::string_view unit_of_one) {
  if (count < 1000) return cat(count, unit_of_one.empty() ? "" : " ", unit_of_one);
  constexpr std::array<const char*, 4> kUnits = {"k", "M", "G", "T"};
  double value = static_cast<double>(count) / 1000;
  size_t unit = 0;
  // What would print as 1000.0 becomes 1.0 of the next unit.
  for (; value >= 999.95 && unit + 1 < kUnits.size(); ++unit) value /= 1000;
  return cat(number_text("%.1f ", value), kUnits.at(unit));
}

}  // namespace

std::string counted(size_t count, std::string_view noun) {
  return cat(count, " ", noun, count == 1 ? "" : "s");
}

std::string short_count(int64_t count) { return scaled(count, ""); }

std::string short_bytes(int64_t bytes) {
  return bytes < 1000 ? scaled(bytes, "bytes") : scaled(bytes, "") + "B";
}

std::string typed(std::string_view name, ir::DType dtype, const ir::Shape& shape) {
  return cat(name, " ", ir::dtype_name(dtype), ir::readable(shape));
}

std::string model_text(const std::string& path, const trace::ModelInfo& model) {
  if (model.kind == trace::FileKind::graph) return cat(path, ": ", kind_name(model.kind));
  return cat(path, ": ", kind_name(model.kind), ", format ", model.format_version);
}

namespace {

using Cells = std::vector<std::string>;

/// The text at a column, in further lines where the screen ends.
std::string wrapped_at(size_t column, const std::string& text, std::optional<size_t> width) {
  if (!width || column + text_width(text) <= *width) return text;
  return joined(wrapped(text, *width - column), cat("\n", std::string(column, ' ')));
}

/// The first cell, and the others in the lines below it: for tables wider than the screen.
std::string stacked(const Cells& row, size_t width) {
  constexpr size_t kIndent = 6;
  std::string rest;
  for (size_t i = 1; i < row.size(); ++i) rest += cat(i > 1 ? " · " : "", row[i]);
  return cat("  ", row.front(), "\n", std::string(kIndent, ' '), wrapped_at(kIndent, rest, width));
}

}  // namespace

std::string table(std::vector<std::vector<std::string>> rows) {
  std::vector<size_t> widths;
  for (Cells& row : rows) {
    for (std::string& cell : row) cell = printable_line(cell);
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], text_width(row[i]));
  }
  size_t last = 2;  // where the last column begins
  for (size_t i = 0; i + 1 < widths.size(); ++i) last += widths[i] + 2;
  constexpr size_t kLeast = 24;  // narrower text is hard to read
  const std::optional<size_t> width = known_width();
  const bool is_stacked = width && widths.size() > 2 && last + widths.back() > *width &&
                          last + std::min(kLeast, widths.back()) > *width;
  std::string out;
  for (const Cells& row : rows) {
    std::string line;
    for (size_t i = 0; i + 1 < row.size(); ++i)
      line += cat("  ", row[i], std::string(widths[i] - text_width(row[i]), ' '));
    const bool fits = !width || last + kLeast <= *width;
    if (!row.empty())
      line = is_stacked
                 ? stacked(row, *width)
                 : cat(line, "  ", wrapped_at(last, row.back(), fits ? width : std::nullopt));
    line.resize(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

void require_range(std::string_view option, int64_t value, int64_t least, int64_t most) {
  if (value < least || value > most)
    throw Error("usage", cat(option, " is ", value, ", not a number from ", least, " to ", most));
}

std::vector<std::string> wrapped(const std::string& text, size_t width) {
  std::vector<std::string> lines;
  std::istringstream paragraphs(text);
  for (std::string paragraph; std::getline(paragraphs, paragraph);) {
    std::istringstream words(paragraph);
    std::string line;
    for (std::string word; words >> word;) {
      if (!line.empty() && text_width(line) + 1 + text_width(word) > width) {
        lines.push_back(line);
        line.clear();
      }
      line += cat(line.empty() ? "" : " ", word);
    }
    lines.push_back(line);
  }
  return lines;
}

std::string shell_quoted(const std::string& text) {
  const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("/._-+=,:@%").find(c) != std::string_view::npos;
  });
  if (plain) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

}  // namespace t2n::cli
