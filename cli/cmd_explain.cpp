// SPDX-License-Identifier: Apache-2.0
// t2nnef explain: what a diagnostic's id, or an exit code, means.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "cli/commands.h"
#include "cli/diagnostics_page.h"
#include "cli/screen/console.h"
#include "cli/screen/terminal.h"
#include "cli/screen/text.h"
#include "src/diag/error.h"

namespace t2n::cli {
namespace {

constexpr const char* kExplainExamples =
    "examples:\n"
    "  t2nnef explain data-dependent-branch\n"
    "  t2nnef explain 4\n";

/// The text between two marks of docs/diagnostics.md.
std::string_view between(std::string_view page, std::string_view begin, std::string_view end) {
  const size_t from = page.find(begin);
  T2N_ASSERT(from != std::string_view::npos, "docs/diagnostics.md has no ", begin);
  const std::string_view rest = page.substr(from + begin.size());
  return rest.substr(0, rest.find(end));
}

/// Links of Markdown as text: "docs/checking.md", "fragment (docs/extending.md)".
std::string without_links(std::string text) {
  for (size_t middle; (middle = text.find("](")) != std::string::npos;) {
    const size_t open = text.rfind('[', middle), close = text.find(')', middle);
    T2N_ASSERT(open != std::string::npos && close != std::string::npos,
               "a link in docs/diagnostics.md");
    const std::string label = text.substr(open + 1, middle - open - 1);
    const std::string target = text.substr(middle + 2, close - middle - 2);
    const std::string page = cat("docs/", target.substr(0, target.find('#')));
    text.replace(open, close + 1 - open,
                 label.ends_with(".md") ? page : cat(label, " (", page, ")"));
  }
  return text;
}

std::string explain_id(const DiagnosticId& id) {
  const std::string_view entry = between(diagnostics_page(), cat("### `", id.id, "`"), "\n### ");
  const size_t body = entry.find('\n');
  const std::string code = std::to_string(static_cast<int>(id.code));
  const auto codes = exit_codes();
  const auto row = std::find_if(codes.begin(), codes.end(),
                                [&](const auto& each) { return each.first == code; });
  T2N_ASSERT(row != codes.end(), "docs/diagnostics.md has no exit code ", code);
  return cat(
      id.id, " · exit ", code, ": ", row->second, "\n\n",
      joined(wrapped(without_links(std::string(entry.substr(body + 1))), line_width()), "\n"),
      "\n");
}

std::string explain_code(const std::string& code, const std::string& meaning) {
  std::string out = cat("exit ", code, ": ", meaning, "\n");
  for (const DiagnosticId& id : diagnostic_ids())
    if (std::to_string(static_cast<int>(id.code)) == code) out += cat("  ", id.id, "\n");
  return out;
}

/// "lint" of "error[lint]", as it is copied from a message.
std::string id_in(const std::string& subject) {
  const size_t open = subject.find('['), close = subject.find(']');
  return open == std::string::npos || close == std::string::npos || close < open
             ? subject
             : subject.substr(open + 1, close - open - 1);
}

std::string all_ids() {
  std::vector<std::vector<std::string>> rows;
  for (const DiagnosticId& id : diagnostic_ids())
    rows.push_back({std::string(id.id), cat("exit ", static_cast<int>(id.code))});
  return table(std::move(rows));
}

ExitCode run_explain(const std::string& subject) {
  if (subject.empty()) {
    print(all_ids());
    return ExitCode::ok;
  }
  const std::string requested = id_in(subject);
  std::vector<std::string> names;
  for (const DiagnosticId& id : diagnostic_ids()) {
    if (id.id == requested) {
      print(explain_id(id));
      return ExitCode::ok;
    }
    names.emplace_back(id.id);
  }
  for (const auto& [code, meaning] : exit_codes())
    if (code == requested) {
      print(explain_code(code, meaning));
      return ExitCode::ok;
    }
  const std::string suggestion = nearest(requested, names);
  throw Error("usage", cat("there is no diagnostic and no exit code ", quoted(requested)), {},
              suggestion.empty() ? "`t2nnef explain` lists all"
                                 : cat("did you mean ", quoted(suggestion), "?"));
}

}  // namespace

void setup_explain(CLI::App& app, Run& selected) {
  auto subject = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("explain", "Explain the id of a message, or an exit code");
  command->add_option("ID", *subject, "The id in brackets, or a number; without it, list all ids")
      ->default_str("all ids")
      ->type_name("");
  command->footer(kExplainExamples);
  command->callback([subject, &selected] {
    selected = [subject](CommandReport& /*report*/) { return run_explain(*subject); };
  });
}

}  // namespace t2n::cli
