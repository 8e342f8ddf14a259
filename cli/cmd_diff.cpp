// SPDX-License-Identifier: Apache-2.0
// t2nnef diff: shows the differences between two artefacts.
#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>

#include "cli/commands.h"
#include "cli/options/input_options.h"
#include "cli/screen/console.h"
#include "cli/screen/text.h"
#include "src/diag/error.h"
#include "src/diag/printable.h"
#include "src/diff/diff.h"
#include "src/report/diff_report.h"

namespace t2n::cli {
namespace {

constexpr const char* kDiffExamples =
    "examples:\n"
    "  t2nnef diff before.nnef.tgz after.nnef.tgz\n"
    "  t2nnef diff before.nnef.tgz after.nnef.tgz --names --json\n";

using diff::Difference;

struct DiffCommand {
  std::string a;
  std::string b;
  bool names = false;
};

/// A limit for lines per part; the JSON contains all.
constexpr size_t kMostPerPart = 20;

/// On one line of limited length.
std::string one_line(const std::string& text) {
  constexpr size_t kLongest = 60;
  const size_t end = text.find('\n');
  return clipped(end == std::string::npos ? text : text.substr(0, end) + "…", kLongest);
}

std::string short_number(double value) {
  if (std::isinf(value)) return "inf";
  return number_text("%.2g", value);
}

std::string change_text(const Difference& difference) {
  const std::string aspect = difference.aspect.empty() ? "" : difference.aspect + " ";
  if (difference.max_abs)
    return cat(difference.aspect, " differ, max|Δ| ", short_number(*difference.max_abs));
  const std::string before = one_line(difference.before);
  const std::string after = one_line(difference.after);
  if (before == after) return aspect + "differs";  // in the part that is cut off
  return cat(aspect, before.empty() ? "(none)" : before, " -> ", after.empty() ? "(none)" : after);
}

std::string subject_text(const Difference& difference) {
  if (difference.part == diff::Part::extension) return difference.subject;
  if (difference.operation.empty()) return quoted(difference.subject);
  return difference.subject.empty() ? difference.operation
                                    : cat(difference.operation, " ", quoted(difference.subject));
}

std::string difference_line(const Difference& difference) {
  const std::string text = one_line(difference.before + difference.after);
  switch (difference.kind) {
    case Difference::Kind::removed:
    case Difference::Kind::added:
      return cat(difference.kind == Difference::Kind::added ? "  + " : "  - ",
                 subject_text(difference), text.empty() ? "" : "  ", text, "\n");
    case Difference::Kind::changed:
      return cat("  ~ ", subject_text(difference), ": ", change_text(difference), "\n");
  }
  internal_error(__FILE__, __LINE__, "no such kind");
}

std::string differences_text(const std::vector<Difference>& differences) {
  std::string out;
  for (size_t i = 0; i < differences.size();) {
    const diff::Part part = differences[i].part;
    out += cat(diff::part_name(part), ":\n");
    size_t count = 0;
    for (; i < differences.size() && differences[i].part == part; ++i, ++count)
      if (count < kMostPerPart) out += difference_line(differences[i]);
    if (count > kMostPerPart)
      out += cat("  … and ", count - kMostPerPart, " more; --json lists all\n");
  }
  return out;
}

std::string result_text(const DiffCommand& options, const diff::Result& result) {
  const std::string common = cat(counted(result.operations, "operation"), " and ",
                                 counted(result.weights, "weight"), " in both");
  if (result.equal()) return cat(options.a, " and ", options.b, " are equal: ", common, "\n");
  return cat(differences_text(result.differences), counted(result.differences.size(), "difference"),
             "; ", common, "\n");
}

ExitCode run_diff(const DiffCommand& options, CommandReport& report) {
  if (options.b.empty())
    throw Error("usage", "two artefacts are needed", {},
                "for example: t2nnef diff before.nnef.tgz after.nnef.tgz");
  constexpr const char* kExample = "diff before.nnef.tgz after.nnef.tgz";
  const nnef::Artefact a = nnef::read_artefact(require_artefact(options.a, kExample));
  const nnef::Artefact b = nnef::read_artefact(require_artefact(options.b, kExample));
  const diff::Result result = diff::compare(a, b, {.names = options.names});
  report::add_diff(report, options.a, options.b, result);
  print(result_text(options, result));
  return result.equal() ? ExitCode::ok : ExitCode::differs;
}

}  // namespace

void setup_diff(CLI::App& app, Run& selected) {
  auto options = std::make_shared<DiffCommand>();
  CLI::App* command = app.add_subcommand("diff", "Show the differences between two NNEF artefacts");
  command->add_option("A", options->a, "An artefact of any exporter: folder, .tar or .tgz")
      ->type_name("");
  command->add_option("B", options->b, "The artefact to compare it with; exit 9 if they differ")
      ->type_name("");
  command->add_flag("--names", options->names, "Also compare the names of tensors and weights");
  command->footer(kDiffExamples);
  command->callback([options, &selected] {
    selected = [options](CommandReport& report) { return run_diff(*options, report); };
  });
}

}  // namespace t2n::cli
