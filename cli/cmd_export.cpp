// SPDX-License-Identifier: Apache-2.0
// t2nnef export: writes a TorchScript or .pt2 file as an NNEF artefact, and checks it on request.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>

#include "cli/commands.h"
#include "cli/export_bundle.h"
#include "cli/export_text.h"
#include "cli/options/check_options.h"
#include "cli/options/compress_options.h"
#include "cli/options/config_file.h"
#include "cli/options/input_options.h"
#include "cli/options/method_options.h"
#include "cli/options/stream_options.h"
#include "cli/outputs.h"
#include "cli/report_pictures.h"
#include "cli/screen/console.h"
#include "src/diag/error.h"
#include "src/export/debug_bundle.h"
#include "src/export/pass_table.h"
#include "src/export/pipeline.h"
#include "src/export/report.h"

namespace t2n::cli {
namespace {

struct ExportCommand {
  std::string model;
  std::string target;
  std::string output;
  int compression = 6;
  InputOptions inputs;
  PortNames names;
  bool prune_unused_inputs = false;
  bool roll_loops = false;
  std::string stream;
  std::string nan;
  std::string processor;
  CompressionOptions compression_of_weights;
  std::string float_format;
  std::vector<std::string> keep_f32;
  ToleranceOptions check;
  EngineOptions engine;
  std::string print_after;
  bool print_changed = false;
  std::vector<std::string> disabled_passes;
  std::string debug_bundle;
  std::vector<std::string> metadata;
  bool dry_run = false;
  std::vector<std::string> configs;
  bool quiet = false;
  bool verbose = false;
};

void add_output_options(CLI::App& command, ExportCommand& options) {
  command
      .add_option("MODEL.pt", options.model, "A file of torch.jit.trace, script or torch.export")
      ->type_name("");
  command
      .add_option("-t,--target", options.target,
                  "Engine: tract, tract@0.21.19 or khronos\n"
                  "khronos is any reader of strict NNEF 1.0.5; tract is its newest version.")
      ->type_name("TARGET");
  command
      .add_option("-o,--output", options.output,
                  "Folder, .tgz, .tar, - for stdout [MODEL.nnef.tgz]\n"
                  "{method} is replaced by the name of the method.")
      ->type_name("PATH");
  command
      .add_option("-z,--compression", options.compression,
                  "Compression level of a .tgz, 0 to 9 [6]")
      ->type_name("LEVEL");
  command
      .add_option("--metadata", options.metadata,
                  "Add a property to the artefact\n"
                  "Repeatable. tract reads it as a property; strict NNEF has none.")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command.add_flag("--dry-run", options.dry_run,
                   "Do everything but write the artefact\n"
                   "Prints what would be written. --report and --debug-bundle are written.");
}

void add_signature_options(CLI::App& command, ExportCommand& options) {
  command
      .add_option(
          "--preset", options.inputs.preset,
          "causal-llm: the form that tract's causal-llm expects\n"
          "A language model with caches: dynamic axes, port names and detected caches are set.")
      ->type_name("NAME");
  command
      .add_option("--input-name", options.names.inputs,
                  "Rename an input, by position or as OLD=NEW\n"
                  "Repeatable. OLD is its name, or input_N; or with a *: 'cache_*=past_*'.")
      ->type_name("[OLD=]NEW")
      ->allow_extra_args(false);
  command
      .add_option("--output-name", options.names.outputs,
                  "Rename an output, by position or as OLD=NEW\n"
                  "Repeatable. OLD is its name, or output_N; or with a *: 'output_1_*=k_*'. tract "
                  "may append to "
                  "it (scores_0): take its outputs by position.")
      ->type_name("[OLD=]NEW")
      ->allow_extra_args(false);
  command.add_flag("--prune-unused-inputs", options.prune_unused_inputs,
                   "Remove inputs that no output depends on");
  command.add_flag("--roll-loops", options.roll_loops,
                   "Turn loops of equal iterations into scans\n"
                   "Of three iterations or more. Not with --dynamic, where loops over dynamic "
                   "sizes become scans anyway.");
  add_stream_option(command, options.stream);
  command
      .add_option("--processor", options.processor,
                  "any or vnni: the processor that will run the model [any]\n"
                  "vnni: it multiplies bytes (AVX-VNNI, AVX512-VNNI). Quantised linear layers are "
                  "then faster in tract, and many times slower on other processors.")
      ->type_name("any|vnni");
  command
      .add_option("--nan", options.nan,
                  "report or keep: NaN in inputs\n"
                  "tract's max, min and operators built on them drop NaN. report: list such "
                  "operators; keep: write them so that they propagate NaN.")
      ->type_name("report|keep");
}

void add_float_options(CLI::App& command, ExportCommand& options) {
  command
      .add_option("--float", options.float_format,
                  "f16: weights and activations in 16 bits\n"
                  "As torch's autocast: sums, norms and exponentials stay in f32. Inputs and "
                  "outputs keep their dtypes; with f16-io, they are f16 as well.")
      ->type_name("f16[-io]");
  command
      .add_option("--keep-f32", options.keep_f32,
                  "Modules that stay in f32 with --float\nRepeatable: 'head', 'layers.0.*'.")
      ->type_name("GLOB")
      ->allow_extra_args(false);
}

void add_check_options(CLI::App& command, ExportCommand& options) {
  command.add_flag(cat("--check{", kDefaultLevel, "}"), options.check.check,
                   "Run the artefact and compare it with torch\n"
                   "--check=LEVEL is exact, close, approximate, very, super or ultra.");
  add_tolerance_options(command, options.check);
  add_engine_options(command, options.engine);
}

void add_log_options(CLI::App& command, ExportCommand& options) {
  command
      .add_option("--debug-bundle", options.debug_bundle,
                  "Keep values, graphs and artefact in a new folder\n"
                  "Also if the export fails. It contains the weights, and the values of inputs.")
      ->type_name("DIR");
  command
      .add_option(
          "--print-after", options.print_after,
          "Print the graph after a pass, or after all\n`t2nnef opt --list` describes the passes.")
      ->type_name("PASS");
  command.add_flag("--print-changed", options.print_changed,
                   "Print the graph after each pass that changed it");
  add_disable_pass(command, options.disabled_passes);
  CLI::Option* quiet =
      command.add_flag("-q,--quiet", options.quiet, "Print only warnings and errors");
  command.add_flag("-v,--verbose", options.verbose, "Print a log of all steps, and torch warnings")
      ->excludes(quiet);
}

target::Target target_of(const ExportCommand& options) {
  if (!options.target.empty()) return target::parse_target(options.target);
  const target::Target newest = target::parse_target("tract");
  throw Error("usage", "--target is missing", {},
              cat("add --target tract, which means ", target::target_name(newest),
                  ", an older version of it, or --target khronos for strict NNEF"));
}

int level_of(const ExportCommand& options) {
  if (options.compression < 0 || options.compression > 9)
    throw Error("usage",
                cat("--compression is ", options.compression, ", not a level from 0 to 9"));
  return options.compression;
}

std::optional<CheckOptions> check_of(const ExportCommand& options) {
  const ToleranceOptions& check = options.check;
  if (!check.check.empty()) return check_options(check, options.engine);
  const ToleranceOptions unset;
  if (!check.tolerances.empty() || !options.engine.engine.empty() || check.strict ||
      check.seeds != unset.seeds || check.localise != unset.localise)
    throw Error("usage", "--tolerance, --seeds, --engine, --strict and --localize need --check", {},
                "add --check");
  return std::nullopt;
}

/// Refuses unknown passes before any work is done.
passes::PipelineOptions pass_options(const ExportCommand& options, Console& console) {
  passes::PipelineOptions out;
  out.disabled = options.disabled_passes;
  out.print_after = options.print_after;
  out.print_changed = options.print_changed;
  out.print = [&console](const std::string& text) { console.print_above_progress(text); };
  ir::Graph none;
  passes::run_pipeline(none, {}, {}, out);
  return out;
}

/// The files that any method reads, which no artefact may replace.
std::vector<nnef::Taken> taken_of(const ExportCommand& options, const MethodOptions& per_method) {
  std::vector<std::string> specs;
  for (const std::string& method : methods_of(options.inputs))
    for (std::string& spec : per_method.values_for(method, "--input", options.inputs.specs))
      specs.push_back(std::move(spec));
  std::vector<nnef::Taken> out = taken_files(specs, options.configs, options.engine.engine);
  for (nnef::Taken& taken : compression_files(options.compression_of_weights))
    out.push_back(std::move(taken));
  return out;
}

bool is_causal_lm(const ExportCommand& options) {
  const std::string& preset = options.inputs.preset;
  if (!preset.empty() && preset != "causal-llm")
    throw Error("usage", cat("--preset ", quoted(preset), " is not known"), {},
                "the only preset is causal-llm");
  return !preset.empty();
}

std::string nan_option(const ExportCommand& options) {
  if (!options.nan.empty() && options.nan != "report" && options.nan != "keep")
    throw Error(
        "usage", cat("--nan ", quoted(options.nan), " is not known"), {},
        "--nan report lists the operators that drop NaN; --nan keep makes them propagate it");
  return options.nan;
}

FloatOptions float_options(const ExportCommand& options) {
  const bool has_half_ports = options.float_format == "f16-io";
  if (!options.float_format.empty() && options.float_format != "f16" && !has_half_ports)
    throw Error("usage", cat("--float ", quoted(options.float_format), " is not known"), {},
                "--float f16 computes in 16 bits; f16-io has inputs and outputs in f16, too");
  if (options.float_format.empty() && !options.keep_f32.empty())
    throw Error("usage", "--keep-f32 needs --float", {}, "add --float f16");
  return {.is_half = !options.float_format.empty(),
          .has_half_ports = has_half_ports,
          .keep_f32 = options.keep_f32};
}

/// Errors: `usage` for options that need a single set of inputs.
void require_one_method(const ExportCommand& options) {
  const CompressionOptions& compression = options.compression_of_weights;
  const char* const option = !options.inputs.preset.empty()         ? "--preset"
                             : !compression.calibrate.empty()       ? "--calibrate"
                             : !compression.search.budget.empty()   ? "--budget"
                             : !compression.search.max_loss.empty() ? "--max-loss"
                                                                    : nullptr;
  if (option != nullptr)
    throw Error("usage", cat(option, " works with one method only"), {},
                "export each method separately");
}

ExportOptions pipeline_options(const ExportCommand& options, const MethodOptions& per_method,
                               const std::string& method, Console& console) {
  ExportOptions out = traced_options(options.model, per_method.inputs_for(method, options.inputs),
                                     console.report());
  out.target = target_of(options);
  use_extensions(options.inputs, &out.target);
  out.target.stream = stream_of(per_method.value_for(method, "--stream", options.stream));
  out.check = check_of(options);
  out.passes = pass_options(options, console);
  const MethodOutput output =
      output_of(options.model, options.output, methods_of(options.inputs), method);
  out.output = output.path;
  out.folder = output.folder;
  out.compression = level_of(options);
  out.taken = taken_of(options, per_method);
  out.compress = compress_options(options.compression_of_weights);
  out.floats = float_options(options);
  if (out.check) {
    out.check->tolerance.in_f16 = out.floats.is_half;
    for (check::OutputTolerance& each : out.check->by_output)
      each.tolerance.in_f16 = out.floats.is_half;
  }
  out.names = {per_method.values_for(method, "--input-name", options.names.inputs),
               per_method.values_for(method, "--output-name", options.names.outputs)};
  out.is_causal_lm = is_causal_lm(options);
  out.prune_unused_inputs = options.prune_unused_inputs;
  out.reroll_loops = options.roll_loops;
  out.nan = nan_option(options);
  out.processor = target::parse_processor(options.processor);
  if (out.reroll_loops && (!out.dynamic.axes.empty() || out.is_causal_lm))
    throw Error("usage", "--roll-loops needs static sizes", {},
                "remove it: with --dynamic, loops over dynamic sizes already become scans");
  out.metadata = parse_metadata(options.metadata, out.target);
  out.dry_run = options.dry_run;
  out.progress = console.progress();
  return out;
}

std::vector<std::string> step_names(const ExportCommand& options) {
  std::vector<std::string> out = {"inputs", "names", "trace"};
  if (!options.compression_of_weights.compress.empty() || !options.float_format.empty())
    out.emplace_back("compress");
  out.insert(out.end(), {"translate", "write"});
  if (!options.check.check.empty()) out.emplace_back("check");
  return out;
}

std::vector<ExportOptions> method_options(const ExportCommand& options, Console& console,
                                          const CommandReport& report) {
  require_model(options.model, "export");
  target_of(options);  // fails before sample files are read
  if (std::error_code ignored; std::filesystem::is_directory(options.model, ignored))
    throw Error("model-format", cat(quoted(options.model), " is a folder, not a model"), {},
                "give the .pt file that torch.jit.save wrote");
  const std::vector<std::string> methods = methods_of(options.inputs);
  if (methods.size() > 1) require_one_method(options);
  const MethodOptions per_method(methods);
  std::vector<ExportOptions> out;
  for (const std::string& method : methods)
    out.push_back(pipeline_options(options, per_method, method, console));
  for (ExportOptions& each : out)
    if (!options.debug_bundle.empty())
      each.taken.push_back({"the debug bundle", options.debug_bundle});
  claim_stdout(options.output);
  require_other_paths(report.paths, out);
  return out;
}

/// Also fills the report of a failure, as far as the methods came.
std::vector<ExportResult> export_and_report(std::vector<ExportOptions>& methods,
                                            CommandReport& report) {
  std::vector<ExportResult> results;
  for (ExportOptions& each : methods)
    each.on_result = [&](const ExportResult& result) { results.push_back(result); };
  add_export(report, methods, {});
  try {
    results = export_methods(methods);
  } catch (const Error&) {
    add_export(report, methods, results);
    throw;
  }
  add_export(report, methods, results);
  if (!methods.front().dry_run)
    for (const ExportResult& result : results) report.files.push_back(result.path);
  return results;
}

ExitCode run_export(const ExportCommand& options, CommandReport& report) {
  Console console(verbosity_of(options.quiet, options.verbose), report);
  console.expect_steps(step_names(options));
  report.set("/model/file", options.model);
  std::vector<ExportOptions> methods = method_options(options, console, report);
  report.picture = [first = methods.front(), &report] { return traced_picture(first, report); };
  const auto bundle = start_bundle(options.debug_bundle, methods);
  std::vector<ExportResult> results;
  try {
    results = export_and_report(methods, report);
  } catch (const Error& error) {
    console.fail();
    end_bundle(bundle.get(), report, &error);
    if (bundle) console.line(cat("the debug bundle is in ", bundle->folder().string()));
    throw;
  }
  console.stop();
  end_bundle(bundle.get(), report, nullptr);
  console.finish();
  console.line(models_text(methods, results));
  if (!options.quiet) print(results_text(methods, results));
  return ExitCode::ok;
}

}  // namespace

void setup_export(CLI::App& app, Run& selected) {
  auto options = std::make_shared<ExportCommand>();
  CLI::App* command = app.add_subcommand("export", "Write a TorchScript or .pt2 model as NNEF");
  add_output_options(*command, *options);
  add_input_options(*command, options->inputs);
  add_signature_options(*command, *options);
  add_compression_options(*command, options->compression_of_weights);
  add_loss_options(*command, options->compression_of_weights);
  add_float_options(*command, *options);
  add_check_options(*command, *options);
  add_log_options(*command, *options);
  add_config_option(*command, &options->configs);
  command->footer(kExportExamples);
  command->callback([options, &selected] {
    selected = [options](CommandReport& report) { return run_export(*options, report); };
  });
}

}  // namespace t2n::cli
