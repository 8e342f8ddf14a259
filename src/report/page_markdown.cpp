// SPDX-License-Identifier: Apache-2.0
// A report as Markdown.
#include "src/diag/error.h"
#include "src/report/page.h"

namespace t2n::report {
namespace {

/// Text in which nothing is Markdown or HTML; one line.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char letter : text) {
    if (letter == '\n')
      out += "<br>";
    else if (letter == '<')
      out += "&lt;";
    else if (letter == '&')
      out += "&amp;";
    else if (std::string_view("\\`*_[]|#~>!@").find(letter) != std::string_view::npos)
      out += cat("\\", letter);
    else
      out += letter;
  }
  return out;
}

std::string_view mark(Tone tone) {
  switch (tone) {
    case Tone::plain: return "";
    case Tone::good: return "✅ ";
    case Tone::warning: return "⚠️ ";
    case Tone::bad: return "❌ ";
  }
  internal_error(__FILE__, __LINE__, "no such tone");
}

std::string row_text(const Row& row) {
  std::string out = "|";
  for (const Cell& cell : row) out += cat(" ", mark(cell.tone), escaped(cell.text), " |");
  return out + "\n";
}

/// Markdown has no table without a heading.
std::string table_text(const Section& section) {
  if (section.rows.empty()) return {};
  Row head(section.rows.front().size());
  for (size_t i = 0; i < section.columns.size(); ++i) head[i].text = section.columns[i];
  std::string out = row_text(head) + "|";
  for (size_t i = 0; i < head.size(); ++i) out += " --- |";
  out += "\n";
  for (const Row& row : section.rows) out += row_text(row);
  return out + "\n";
}

}  // namespace

std::string markdown(const Page& page) {
  std::string out = cat("# ", escaped(page.title), "\n\n", mark(page.status.tone),
                        escaped(page.status.text), "\n\n");
  for (const Section& section : page.sections) {
    out += cat("## ", escaped(section.title), "\n\n");
    for (const Note& note : section.notes) {
      out += cat("- ", mark(note.tone), "**", escaped(note.headline), "**\n");
      for (const std::string& line : note.lines) out += cat("  - ", escaped(line), "\n");
      out += "\n";
    }
    out += table_text(section);
  }
  return out;
}

}  // namespace t2n::report
