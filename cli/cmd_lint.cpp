// SPDX-License-Identifier: Apache-2.0
// t2nnef lint: reports unusual quantisation of a model, a graph, or an artefact.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>

#include "cli/commands.h"
#include "cli/options/compress_options.h"
#include "cli/options/config_file.h"
#include "cli/options/input_options.h"
#include "cli/outputs.h"
#include "cli/screen/console.h"
#include "cli/screen/text.h"
#include "src/diag/error.h"
#include "src/export/graph_file.h"
#include "src/export/opt.h"
#include "src/export/pass_table.h"
#include "src/nnef/artefact.h"
#include "src/nnef/sniff.h"
#include "src/report/artefact_lint.h"

namespace t2n::cli {
namespace {

constexpr const char* kLintExamples =
    "examples:\n"
    "  t2nnef lint model.pt --compress int8 --calibrate @set.npz\n"
    "  t2nnef lint model.ir\n"
    "  t2nnef lint model.nnef.tgz --strict\n";

constexpr const char* kPass = "lint-quantisation";

struct LintCommand {
  std::string file;
  std::optional<std::string> target;
  InputOptions inputs;
  CompressionOptions compression;
  std::vector<std::string> configs;
  bool strict = false;
};

/// The lint's result for one file.
struct Findings {
  std::vector<Diagnostic> warnings;  ///< their subjects are rules
  std::vector<std::string> notes;    ///< rules that were skipped
};

/// Text graphs are examined unchanged; models as traced, with quantised constants stored.
std::vector<std::string> lint_passes(const LintCommand& options) {
  std::vector<std::string> out;
  if (!options.compression.compress.empty())
    out = passes::compression_passes();
  else if (!is_graph_file(options.file))
    out = {"bind-sizes", "dead-code", "quantise-constants"};
  out.emplace_back(kPass);
  return out;
}

Findings lint_graph(const LintCommand& options, CommandReport& command) {
  Console console(Verbosity::normal, command);
  Findings out;
  OptOptions opt;
  opt.compress = compress_or_calibrate_options(options.compression);
  opt.pipeline = passes::find_passes(lint_passes(options));
  const Report others = console.report();
  const Report report = [&](const Diagnostic& diagnostic) {
    if (diagnostic.id != "lint")
      others(diagnostic);
    else if (diagnostic.severity == Severity::note)
      out.notes.push_back(diagnostic.message);
    else
      out.warnings.push_back(diagnostic);
  };
  opt.model = traced_options(options.file, options.inputs, report);
  opt.model.target = target::parse_target(options.target.value_or("tract"));
  use_extensions(options.inputs, &opt.model.target);
  opt.model.taken = taken_files(options.inputs.specs, options.configs, {});
  opt.model.progress = console.progress();
  optimise(opt);
  console.stop();
  return out;
}

/// An artefact is examined unchanged: it is not traced, compressed or made for a target.
void refuse_model_options(const LintCommand& options) {
  const CompressionOptions& compression = options.compression;
  const bool compresses = !compression.compress.empty() || !compression.calibrate.empty() ||
                          !compression.ignore.empty() || !compression.only.empty();
  if (options.inputs.specs.empty() && !has_trace_options(options.inputs) && !compresses &&
      !options.target)
    return;
  throw Error("usage", cat(quoted(options.file), " is an NNEF artefact, which is not traced"),
              "only --strict applies to artefacts", "remove the other options, or give the model");
}

Findings lint_file(const LintCommand& options, CommandReport& report) {
  if (is_graph_file(options.file)) refuse_trace_options(options.file, options.inputs, false);
  if (is_graph_file(options.file) || !nnef::looks_like_artefact(options.file))
    return lint_graph(options, report);
  refuse_model_options(options);
  Findings out;
  for (const Finding& finding : report::lint_artefact(nnef::read_artefact(options.file)))
    out.warnings.push_back(warning_of(finding));
  out.notes.emplace_back("not checked: saturation, which needs the model and a calibration set");
  return out;
}

/// The rule is in the headline.
std::string finding_line(const Diagnostic& finding) {
  std::string location =
      finding.where.empty() ? std::string() : render_where(finding.where.front());
  return cat("  ", location.empty() ? "" : location + ": ", finding.message, "\n");
}

/// Groups findings by rule.
std::string findings_text(const std::vector<Diagnostic>& findings) {
  std::string out;
  for (size_t i = 0; i < findings.size(); ++i) {
    const Diagnostic& finding = findings[i];
    if (i == 0 || finding.subject != findings[i - 1].subject) out += finding.subject + ":\n";
    out += finding_line(finding);
    const bool is_last = i + 1 == findings.size() || findings[i + 1].subject != finding.subject ||
                         findings[i + 1].help != finding.help;
    if (is_last) out += cat("    help: ", finding.help, "\n");
  }
  return out;
}

ExitCode run_lint(const LintCommand& options, CommandReport& report) {
  require_model(options.file, "lint");
  report.set("/model/file", options.file);
  const Findings found = lint_file(options, report);
  const Report add = report.diagnostics.report();
  for (const Diagnostic& warning : found.warnings) add(warning);
  for (const std::string& note : found.notes)
    add({.severity = Severity::note, .id = "lint", .message = note});
  std::string out = findings_text(found.warnings);
  for (const std::string& note : found.notes) out += note + "\n";
  print(cat(out, counted(found.warnings.size(), "finding"), "\n"));
  if (options.strict && !found.warnings.empty())
    throw Error("lint",
                cat(counted(found.warnings.size(), "finding"), " in ", quoted(options.file)),
                "--strict turns findings into errors", "follow the help above, or remove --strict");
  return ExitCode::ok;
}

}  // namespace

void setup_lint(CLI::App& app, Run& selected) {
  auto options = std::make_shared<LintCommand>();
  CLI::App* command = app.add_subcommand("lint", "Report suspicious quantisation in a file");
  command
      ->add_option(
          "FILE", options->file,
          "A TorchScript or .pt2 file, a graph as text: FILE.ir, or an artefact of any exporter")
      ->type_name("");
  command->add_option("-t,--target", options->target, "Target of target-dependent passes [tract]")
      ->type_name("TARGET");
  add_compression_options(*command, options->compression);
  command->add_flag("--strict", options->strict, "Exit 4 if there is any finding");
  add_input_options(*command, options->inputs);
  add_config_option(*command, &options->configs);
  command->footer(kLintExamples);
  command->callback([options, &selected] {
    selected = [options](CommandReport& report) { return run_lint(*options, report); };
  });
}

}  // namespace t2n::cli
