// SPDX-License-Identifier: Apache-2.0
// t2nnef check: compares an artefact of any exporter with the model that it was exported from.
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "cli/options/check_options.h"
#include "cli/options/config_file.h"
#include "cli/options/input_options.h"
#include "cli/options/stream_options.h"
#include "cli/report_pictures.h"
#include "cli/screen/console.h"
#include "cli/screen/text.h"
#include "src/diag/error.h"
#include "src/export/check_command.h"
#include "src/export/report.h"
#include "src/nnef/sniff.h"
#include "src/report/artefact_violations.h"

namespace t2n::cli {
namespace {

constexpr const char* kCheckExamples =
    "examples:\n"
    "  t2nnef check model.pt model.nnef.tgz\n"
    "  t2nnef check model.pt model.nnef.tgz --check=close --engine tract@0.21.19\n";

struct CheckCommand {
  std::string model;
  std::string artefact;
  InputOptions inputs;
  ToleranceOptions check;
  EngineOptions engine;
  std::string stream;
};

CheckExistingOptions existing_options(const CheckCommand& options, Console& console) {
  constexpr const char* kExample = "check model.pt model.nnef.tgz";
  require_model(options.model, "check");
  const bool swapped = nnef::looks_like_artefact(options.model);
  CheckExistingOptions out;
  out.artefact = require_artefact(
      options.artefact, kExample,
      swapped ? cat("the model comes first: t2nnef check ", shell_quoted(options.artefact), " ",
                    shell_quoted(options.model))
              : "");
  static_cast<ModelOptions&>(out) = model_options(options.model, options.inputs, console.report());
  out.check = check_options(options.check, options.engine);
  out.stream = stream_of(options.stream);
  out.progress = console.progress();
  return out;
}

ExitCode run_check(const CheckCommand& options, CommandReport& report) {
  Console console(Verbosity::normal, report);
  const CheckExistingOptions existing = existing_options(options, console);
  report.set("/model/file", options.model);
  report.set("/artifact/path", options.artefact);
  report.picture = [path = options.artefact, &report] { return artefact_picture(path, report); };
  CheckedExisting checked = compare_with_model(existing);
  CheckedModel& result = checked.result;
  console.stop();
  // The table comes first, as it also shows outputs that agree.
  add_check(report, existing, checked);
  print(check_text(existing.check, result.checked));
  try {
    judge(result.checked, existing.check,
          {.help = cat("`t2nnef reduce ", shell_quoted(options.model), " --against ",
                       shell_quoted(options.artefact),
                       "` with the same options writes the smallest part that differs")},
          existing.report);
  } catch (const Error&) {
    // If outputs differ, different weights are a likely cause.
    if (result.other_contents) existing.report(*result.other_contents);
    throw;
  }
  if (result.other_contents) throw Error(*result.other_contents);
  console.finish();
  return ExitCode::ok;
}

/// Names what is wrong with an artefact that the engine rejects.
ExitCode run_check_explained(const CheckCommand& options, CommandReport& report) {
  try {
    return run_check(options, report);
  } catch (const Error& error) {
    throw report::with_violations(error, options.artefact);
  }
}

}  // namespace

void setup_check(CLI::App& app, Run& selected) {
  auto options = std::make_shared<CheckCommand>();
  options->check.check = kDefaultLevel;
  CLI::App* command = app.add_subcommand(
      "check", "Compare an NNEF artefact with the model that it was exported from");
  command->add_option("MODEL.pt", options->model, "A TorchScript or .pt2 file")->type_name("");
  command->add_option("ARTEFACT", options->artefact, "A folder, .tar or .tgz of any exporter")
      ->type_name("");
  add_input_options(*command, options->inputs);
  command->add_flag(cat("--check{", kDefaultLevel, "}"), options->check.check,
                    "Level: exact, close, approximate, very, super, ultra\n"
                    "Written as --check=LEVEL.");
  add_tolerance_options(*command, options->check);
  add_engine_options(*command, options->engine);
  add_stream_option(*command, options->stream);
  add_config_option(*command);
  command->footer(kCheckExamples);
  command->callback([options, &selected] {
    selected = [options](CommandReport& report) { return run_check_explained(*options, report); };
  });
}

}  // namespace t2n::cli
