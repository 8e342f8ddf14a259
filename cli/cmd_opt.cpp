// SPDX-License-Identifier: Apache-2.0
// t2nnef opt: runs passes one by one, on the graph of a model or on a graph in text form.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "cli/commands.h"
#include "cli/options/check_options.h"
#include "cli/options/compress_options.h"
#include "cli/options/config_file.h"
#include "cli/options/input_options.h"
#include "cli/outputs.h"
#include "cli/pass_tables.h"
#include "cli/screen/console.h"
#include "cli/screen/text.h"
#include "src/diag/error.h"
#include "src/export/graph_file.h"
#include "src/export/opt.h"
#include "src/export/pass_table.h"
#include "src/export/report_opt.h"

namespace t2n::cli {
namespace {

constexpr const char* kOptExamples =
    "examples:\n"
    "  t2nnef opt --list\n"
    "  t2nnef opt model.pt --passes dead-code,fold-constants --verify -o model.ir\n"
    "  t2nnef opt model.ir --passes fold-batch-norm --verify -o model.nnef.tgz\n"
    "  t2nnef opt model.pt --compress int8-weights --verify -o model.nnef.tgz \\\n"
    "    --passes insert-observers,calculate-qparams,insert-fake-quant\n"
    "  t2nnef opt model.pt --passes default --bisect\n";

struct OptCommand {
  std::string model;
  std::string target = "tract";
  std::string output;
  InputOptions inputs;
  std::vector<std::string> passes;
  CompressionOptions compression;
  std::string verify;  ///< a level; "": no
  std::string bisect;  ///< the same
  std::string tolerance;
  std::string print_after;
  bool print_changed = false;
  bool time_passes = false;
  bool list = false;
  std::vector<std::string> configs;
  bool quiet = false;
  bool verbose = false;
};

void add_pass_options(CLI::App& command, OptCommand& options) {
  command
      .add_option("FILE", options.model, "A TorchScript or .pt2 file, or a graph as text: FILE.ir")
      ->type_name("");
  command
      .add_option("--passes", options.passes,
                  "Passes to run, in this order\n"
                  "`default` is the pipeline of export (after the passes of compression, with "
                  "--compress); without --passes, none.")
      ->type_name("A,B,…")
      ->delimiter(',')
      ->allow_extra_args(false);
  command.add_flag("--list", options.list, "List all passes, what they preserve and need");
  command
      .add_option("-o,--output", options.output,
                  "FILE.ir or an artefact; without it, text to stdout\n"
                  "FILE.ir has its weights in FILE.ir.npz; an artefact is written as by export.")
      ->type_name("PATH");
  command
      .add_option("-t,--target", options.target, "Target of the artefact, and of passes [tract]")
      ->type_name("TARGET");
}

void add_value_options(CLI::App& command, OptCommand& options) {
  command.add_flag(cat("--verify{", kDefaultLevel, "}"), options.verify,
                   "Compare the graph before and after each pass\n"
                   "On the samples and variations. --verify=LEVEL is exact, close, approximate, "
                   "very, super or ultra.");
  command.add_flag(cat("--bisect{", kDefaultLevel, "}"), options.bisect,
                   "Find the first pass that changes an output\n"
                   "Beyond tolerance, compared with the graph before all passes.");
  command
      .add_option("--tolerance", options.tolerance,
                  "Absolute, relative, share of outliers: 1e-4,1e-3\n"
                  "Of --verify and --bisect.")
      ->type_name("A,R[,O]");
}

void add_insight_options(CLI::App& command, OptCommand& options) {
  command
      .add_option("--print-after", options.print_after,
                  "Print the graph after a pass, or after all")
      ->type_name("PASS");
  command.add_flag("--print-changed", options.print_changed,
                   "Print the graph after each pass that changed it");
  command.add_flag("--time-passes", options.time_passes, "Print the seconds per pass");
  CLI::Option* quiet =
      command.add_flag("-q,--quiet", options.quiet, "Print only warnings and errors");
  command.add_flag("-v,--verbose", options.verbose, "Also print timings and notes of passes")
      ->excludes(quiet);
}

std::vector<passes::PassInfo> pipeline_of(const OptCommand& options) {
  std::vector<std::string> names;
  for (const std::string& name : options.passes) {
    if (name.empty())
      throw Error("usage", "--passes has an empty name", {},
                  "`t2nnef opt --list` shows all passes");
    if (name != "default") {
      names.push_back(name);
      continue;
    }
    if (!options.compression.compress.empty())
      for (std::string& each : passes::compression_passes()) names.push_back(std::move(each));
    for (const std::string& each : passes::pipeline(passes::Pipeline::standard))
      names.push_back(each);
  }
  return passes::find_passes(names);
}

check::Tolerance tolerance_of(const OptCommand& options) {
  const std::string& level = options.bisect.empty() ? options.verify : options.bisect;
  if (!options.verify.empty() && !options.bisect.empty())
    throw Error("usage", "--verify and --bisect compare with different graphs", {},
                "give one of them");
  if (options.tolerance.empty())
    return check::parse_tolerance(level.empty() ? kDefaultLevel : level);
  if (level.empty())
    throw Error("usage", "--tolerance needs --verify or --bisect", {}, "add --verify");
  if (level != kDefaultLevel)
    throw Error("usage",
                cat("the level ", quoted(level), " and --tolerance contradict each other"));
  return check::parse_tolerance(options.tolerance);
}

/// Loops are recorded if the reroll pass was requested by name.
bool wants_loops(const OptCommand& options) {
  const bool named =
      std::find(options.passes.begin(), options.passes.end(), "roll-loops") != options.passes.end();
  return named && options.inputs.dynamic.empty();
}

OptOptions opt_options(const OptCommand& options, Console& console) {
  OptOptions out;
  out.pipeline = pipeline_of(options);
  out.tolerance = tolerance_of(options);
  out.verifies = !options.verify.empty();
  out.bisects = !options.bisect.empty();
  out.compress = compress_or_calibrate_options(options.compression);
  const target::Target target = target::parse_target(options.target);
  require_model(options.model, "opt");
  if (is_graph_file(options.model))
    refuse_trace_options(options.model, options.inputs, out.verifies || out.bisects);
  out.model = traced_options(options.model, options.inputs, console.report());
  out.model.target = target;
  use_extensions(options.inputs, &target);
  out.model.output = options.output;
  out.model.taken = taken_files(options.inputs.specs, options.configs, {});
  for (nnef::Taken& taken : compression_files(options.compression))
    out.model.taken.push_back(std::move(taken));
  out.model.reroll_loops = wants_loops(options);
  out.model.passes.print_after = options.print_after;
  out.model.passes.print_changed = options.print_changed;
  out.model.passes.print = [&console](const std::string& text) {
    console.print_above_progress(text);
  };
  out.model.progress = console.progress();
  ir::Graph none;
  passes::run_pipeline(none, {}, {}, out.model.passes);  // refuses unknown names
  claim_stdout(options.output);
  return out;
}

std::string written_files_text(const OptOptions& options, const OptResult& result) {
  std::string out = cat("wrote ", output_name(result.path), "  ", short_bytes(result.bytes), "\n");
  if (result.weights > 0)
    out += cat("wrote ", weights_path(options.model.output).string(), "  ",
               short_bytes(result.weights), ": its weights, loaded together with the graph\n");
  return out;
}

ExitCode run_opt(const OptCommand& options, CommandReport& report) {
  if (options.list) {
    print(pass_list());
    return ExitCode::ok;
  }
  Console console(verbosity_of(options.quiet, options.verbose), report);
  const OptOptions opt = opt_options(options, console);
  report.set("/model/file", options.model);
  const OptResult result = optimise(opt);
  add_opt(report, opt, result);
  console.stop();
  // Only the graph goes to stdout; messages go to stderr.
  const bool prints_graph = opt.model.output.empty() && !opt.bisects;
  const auto print_result = [&](const std::string& text) {
    if (options.quiet) return;
    if (prints_graph)
      console.print_above_progress(text);
    else
      print(text);
  };
  if (opt.verifies || opt.bisects) print_result(values_table(opt, result.steps));
  if (options.time_passes) print_result(times_table(result.steps));
  if (const PassStep* step = result.steps.faulty()) throw fault_error(*step, opt.bisects);
  console.finish();
  if (prints_graph) print(ir::print(result.graph));
  if (!result.path.empty()) print_result(written_files_text(opt, result));
  return ExitCode::ok;
}

}  // namespace

void setup_opt(CLI::App& app, Run& selected) {
  auto options = std::make_shared<OptCommand>();
  CLI::App* command =
      app.add_subcommand("opt", "Run passes one by one, verify each, and find the one that breaks");
  add_pass_options(*command, *options);
  add_compression_options(*command, options->compression);
  add_value_options(*command, *options);
  add_insight_options(*command, *options);
  add_input_options(*command, options->inputs);
  add_config_option(*command, &options->configs);
  command->footer(kOptExamples);
  command->callback([options, &selected] {
    selected = [options](CommandReport& report) { return run_opt(*options, report); };
  });
}

}  // namespace t2n::cli
