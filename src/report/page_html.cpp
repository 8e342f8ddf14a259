// SPDX-License-Identifier: Apache-2.0
// A report as HTML: no scripts but those of the picture, which is in a frame without access to it.
#include "src/diag/error.h"
#include "src/report/page.h"

namespace t2n::report {
namespace {

constexpr std::string_view kHead = R"(<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; frame-src 'self'">
<style>
:root { color-scheme: light dark; --line: #8884; --good: #1a7f37; --warning: #9a6700; --bad: #cf222e }
@media (prefers-color-scheme: dark) { :root { --good: #3fb950; --warning: #d29922; --bad: #f85149 } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.5rem; overflow-wrap: anywhere }
h2 { font-size: 1.15rem; margin: 2rem 0 .5rem }
.good { color: var(--good) } .warning { color: var(--warning) } .bad { color: var(--bad) }
.status { font-weight: 600 }
.scroll { overflow-x: auto; max-height: 32rem }
table { border-collapse: collapse }
td, th { text-align: left; padding: .2rem .8rem .2rem 0; border-bottom: 1px solid var(--line); vertical-align: top }
th { font-weight: 600; position: sticky; top: 0; background: Canvas }
td { font-variant-numeric: tabular-nums; white-space: pre-wrap; overflow-wrap: break-word; max-width: 34rem }
.note { border-left: 3px solid var(--line); padding-left: .8rem; margin: .8rem 0; white-space: pre-wrap }
.note p { margin: 0 } .note p + p { padding-left: 1rem; opacity: .85 }
iframe { width: 100%; height: 80vh; border: 1px solid var(--line) }
</style>
)";

std::string html_escaped(std::string_view text) {
  std::string out;
  for (const char letter : text) {
    if (letter == '<')
      out += "&lt;";
    else if (letter == '&')
      out += "&amp;";
    else if (letter == '"')
      out += "&quot;";
    else
      out += letter;
  }
  return out;
}

std::string_view class_of(Tone tone) {
  switch (tone) {
    case Tone::plain: return "";
    case Tone::good: return "good";
    case Tone::warning: return "warning";
    case Tone::bad: return "bad";
  }
  internal_error(__FILE__, __LINE__, "no such tone");
}

std::string tagged(std::string_view tag, const Cell& cell) {
  const std::string_view tone = class_of(cell.tone);
  return cat("<", tag, tone.empty() ? "" : cat(" class=\"", tone, "\""), ">",
             html_escaped(cell.text), "</", tag, ">");
}

std::string note_html(const Note& note) {
  std::string out = "<div class=\"note\">" + tagged("p", {note.headline, note.tone});
  for (const std::string& line : note.lines) out += tagged("p", {line});
  return out + "</div>\n";
}

std::string table_html(const Section& section) {
  if (section.rows.empty()) return {};
  std::string out = "<div class=\"scroll\"><table>\n";
  if (!section.columns.empty()) {
    out += "<tr>";
    for (const std::string& column : section.columns) out += tagged("th", {column});
    out += "</tr>\n";
  }
  for (const Row& row : section.rows) {
    out += "<tr>";
    for (const Cell& cell : row) out += tagged("td", cell);
    out += "</tr>\n";
  }
  return out + "</table></div>\n";
}

}  // namespace

std::string html(const Page& page, const std::string& picture) {
  std::string out = cat(kHead, tagged("title", {page.title}), "\n", tagged("h1", {page.title}),
                        "\n<p class=\"status ", class_of(page.status.tone), "\">",
                        html_escaped(page.status.text), "</p>\n");
  for (const Section& section : page.sections) {
    out += tagged("h2", {section.title}) + "\n";
    for (const Note& note : section.notes) out += note_html(note);
    out += table_html(section);
  }
  if (!picture.empty())
    out += cat("<h2>Graph</h2>\n<iframe title=\"Graph\" sandbox=\"allow-scripts\" srcdoc=\"",
               html_escaped(picture), "\"></iframe>\n");
  return out + "</html>\n";
}

}  // namespace t2n::report
