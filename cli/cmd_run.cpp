// SPDX-License-Identifier: Apache-2.0
// t2nnef run: runs an artefact on given inputs, and writes its outputs as .npz.
#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "cli/commands.h"
#include "cli/options/check_options.h"
#include "cli/options/input_options.h"
#include "cli/outputs.h"
#include "cli/report_pictures.h"
#include "cli/screen/console.h"
#include "cli/screen/text.h"
#include "src/check/run_artefact.h"
#include "src/diag/error.h"
#include "src/diag/printable.h"
#include "src/export/report_run.h"
#include "src/report/artefact_violations.h"
#include "src/samples/input_spec.h"

namespace t2n::cli {
namespace {

constexpr const char* kRunExamples =
    "examples:\n"
    "  t2nnef run model.nnef.tgz -i in.npz -o out.npz\n"
    "  t2nnef run model.nnef.tgz -i ids=1,8,i64:0..999 --engine reference\n";

struct RunCommand {
  std::string artefact;
  std::vector<std::string> inputs;
  std::string output;
  bool casts_floats = false;
  int64_t steps = 1;
  std::vector<std::string> feeds;
  EngineOptions engine;
};

/// Minimum, maximum and mean of the elements; "-" if there are none.
std::vector<std::string> statistics_cells(const ir::Tensor& tensor) {
  const std::optional<ElementStatistics> found = statistics_of(tensor);
  if (!found) return {"-", "-", "-"};
  return {number_text("%.4g", found->min), number_text("%.4g", found->max),
          number_text("%.4g", found->mean)};
}

std::string statistics_text(const std::vector<nnef::NamedTensor>& outputs) {
  std::vector<std::vector<std::string>> rows = {{"output", "type", "min", "max", "mean"}};
  for (const nnef::NamedTensor& output : outputs) {
    rows.push_back({output.name, cat(ir::dtype_name(output.value.dtype),
                                     ir::shape_str(ir::to_shape(output.value.shape)))});
    for (std::string& cell : statistics_cells(output.value)) rows.back().push_back(std::move(cell));
  }
  return table(rows);
}

/// ", 3 steps with h_next -> h fed back"; "" for one step.
std::string steps_text(int64_t steps, const std::vector<spec::State>& states) {
  std::vector<std::string> pairs;
  for (const spec::State& state : states) pairs.push_back(cat(state.output, " -> ", state.input));
  return steps == 1 ? "" : cat(", ", steps, " steps, state: ", joined(pairs, ", "));
}

ExitCode run_and_print(const RunCommand& options, CommandReport& report) {
  Console console(Verbosity::normal, report);
  require_range("--steps", options.steps, 1, 1'000'000);
  claim_stdout(options.output);
  const RunOptions run{
      .artefact = require_artefact(options.artefact, "run model.nnef.tgz -i in.npz -o out.npz"),
      .samples = parse_inputs(options.inputs),
      .engine = parse_engine(options.engine.engine),
      .runner = runner_options(),
      .casts_floats = options.casts_floats,
      .steps = options.steps,
      .feeds = options.feeds,
      .output = options.output,
      .taken = taken_files(options.inputs, {}, options.engine.engine),
      .report = console.report()};
  report.set("/artifact/path", options.artefact);
  report.picture = [path = options.artefact, &report] { return artefact_picture(path, report); };
  const RunResult result = run_artefact(run);
  add_run(report, result, options.steps);
  report.files.push_back(run.output);
  print(cat("run: ", result.engine, steps_text(options.steps, result.states), "\n",
            statistics_text(result.outputs)));
  if (!run.output.empty() && run.output != "-")
    print(cat("wrote ", run.output, "  ", short_bytes(result.bytes), "\n"));
  return ExitCode::ok;
}

/// Names what is wrong with an artefact that the engine rejects.
ExitCode run_and_print_explained(const RunCommand& options, CommandReport& report) {
  try {
    return run_and_print(options, report);
  } catch (const Error& error) {
    throw report::with_violations(error, options.artefact);
  }
}

}  // namespace

void setup_run(CLI::App& app, Run& selected) {
  auto options = std::make_shared<RunCommand>();
  CLI::App* command = app.add_subcommand("run", "Run an NNEF artefact on given inputs");
  command->add_option("ARTEFACT", options->artefact, "A folder, .tar or .tgz of any exporter")
      ->type_name("");
  command
      ->add_option("-i,--input", options->inputs,
                   "Input by name or as input_N: in.npz  x=@x.npy\n"
                   "Repeatable. Also x=1,3,224,224,f32  ids=1,8,i64:0..999. Missing ones are drawn "
                   "from a fixed seed; arrays of a file that are named like outputs are ignored.")
      ->type_name("SPEC")
      ->allow_extra_args(false);
  command
      ->add_option("-o,--output", options->output,
                   "Save the outputs by name, - for stdout\n"
                   "Without it, print only a summary.")
      ->type_name("FILE.npz");
  command->add_flag("--allow-float-casts", options->casts_floats,
                    "Cast float inputs to the artefact's precision");
  command
      ->add_option("--steps", options->steps,
                   "Run N times, states fed back\n"
                   "A first value that no --input replaces is the artefact's own. An array with an "
                   "additional first axis of N has an entry for each step; random values differ "
                   "from step to step. Saved outputs have this axis, too; states have their last "
                   "value.")
      ->type_name("N");
  command
      ->add_option("--feed", options->feeds,
                   "Output that is fed back to an input\n"
                   "Repeatable. For states that the artefact does not name.")
      ->type_name("OUTPUT=INPUT")
      ->allow_extra_args(false);
  add_engine_options(*command, options->engine);
  command->footer(kRunExamples);
  command->callback([options, &selected] {
    selected = [options](CommandReport& report) {
      return run_and_print_explained(*options, report);
    };
  });
}

}  // namespace t2n::cli
