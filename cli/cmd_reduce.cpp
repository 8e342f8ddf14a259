// SPDX-License-Identifier: Apache-2.0
// t2nnef reduce: the smallest part of a model that still fails in the same way.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "cli/commands.h"
#include "cli/options/check_options.h"
#include "cli/options/compress_options.h"
#include "cli/options/config_file.h"
#include "cli/options/input_options.h"
#include "cli/options/stream_options.h"
#include "cli/outputs.h"
#include "cli/screen/console.h"
#include "cli/screen/text.h"
#include "ir/source_location.h"
#include "src/diag/error.h"
#include "src/diag/glob.h"
#include "src/diag/printable.h"
#include "src/export/graph_file.h"
#include "src/reduce/reduce.h"

namespace t2n::cli {
namespace {

constexpr const char* kReduceExamples =
    "examples:\n"
    "  t2nnef reduce model.pt -t tract --keep aten::unique -o small\n"
    "  t2nnef reduce model.pt -t tract --check -i x=@x.npy -o small\n"
    "  t2nnef reduce model.pt --against model.nnef.tgz -o small\n";

struct ReduceCommand {
  std::string model;
  std::string target;
  std::string output;
  std::string keep;
  std::string against;
  double seconds = 300;
  InputOptions inputs;
  bool roll_loops = false;
  std::string stream;
  std::string nan;
  CompressionOptions compression;
  ToleranceOptions check;
  EngineOptions engine;
  std::vector<std::string> disabled_passes;
  std::vector<std::string> configs;
  bool quiet = false;
  bool verbose = false;
};

void add_reduce_options(CLI::App& command, ReduceCommand& options) {
  command
      .add_option("FILE", options.model, "A TorchScript or .pt2 file, or a graph as text: FILE.ir")
      ->type_name("");
  command
      .add_option("--keep", options.keep,
                  "Keep a failure whose message contains this\n"
                  "Without it, a message with the same id is the same failure.")
      ->type_name("TEXT");
  command
      .add_option("--against", options.against,
                  "An artefact that differs from the model\n"
                  "The part is cut from this file. Without the option, each part of the model is "
                  "exported.")
      ->type_name("ARTEFACT");
  command
      .add_option("--within", options.seconds,
                  "Stop searching after this time [300]\n"
                  "The smallest part found so far is written.")
      ->type_name("SECONDS");
  command
      .add_option("-o,--output", options.output,
                  "Name of the files, without suffix [MODEL.reduced]\n"
                  "STEM.ir and its weights, STEM.inputs.npz, STEM.nnef.tgz.")
      ->type_name("STEM");
  command
      .add_option("-t,--target", options.target,
                  "Engine: tract, tract@0.21.19 or khronos\n"
                  "With --against, by default that of the artefact.")
      ->type_name("TARGET");
}

void add_export_options(CLI::App& command, ReduceCommand& options) {
  command.add_flag("--roll-loops", options.roll_loops, "Turn loops of equal iterations into scans");
  add_stream_option(command, options.stream);
  command.add_option("--nan", options.nan, "keep: operators propagate NaN of inputs")
      ->type_name("keep");
  command.add_flag(cat("--check{", kDefaultLevel, "}"), options.check.check,
                   "Run the artefact and compare it with torch\n"
                   "--check=LEVEL is exact, close, approximate, very, super or ultra.");
  add_tolerance_options(command, options.check);
  add_engine_options(command, options.engine);
  add_disable_pass(command, options.disabled_passes);
  CLI::Option* quiet =
      command.add_flag("-q,--quiet", options.quiet, "Print only warnings and errors");
  command.add_flag("-v,--verbose", options.verbose, "Also print timings and torch warnings")
      ->excludes(quiet);
}

target::Target requested_target(const ReduceCommand& options) {
  if (options.target.empty() && options.against.empty())
    throw Error("usage", "--target is missing", {},
                "add --target tract, or the target of the export that fails");
  return target::parse_target(options.target.empty() ? "tract" : options.target);
}

std::optional<CheckOptions> check_for(const ReduceCommand& options) {
  ToleranceOptions check = options.check;
  if (check.check.empty() && !options.against.empty()) check.check = kDefaultLevel;
  if (!check.check.empty()) return check_options(check, options.engine);
  const ToleranceOptions unset;
  if (!check.tolerances.empty() || !options.engine.engine.empty() || check.strict ||
      check.seeds != unset.seeds || check.localise != unset.localise)
    throw Error("usage", "--tolerance, --seeds, --engine, --strict and --localize need --check", {},
                "add --check");
  return std::nullopt;
}

reduce::ReduceOptions reduce_options(const ReduceCommand& options, Console& console) {
  require_model(options.model, "reduce");
  reduce::ReduceOptions out;
  static_cast<ModelOptions&>(out) = model_options(options.model, options.inputs, console.report());
  out.target = requested_target(options);
  use_extensions(options.inputs, &out.target);
  out.has_target = !options.target.empty();
  out.target.stream = stream_of(options.stream);
  out.check = check_for(options);
  if (!options.against.empty())
    out.against = require_artefact(options.against, "reduce model.pt --against model.nnef.tgz");
  if (!(options.seconds > 0))
    throw Error("usage", cat("--within is ", options.seconds, ", not a time in seconds"));
  if (!options.nan.empty() && options.nan != "keep")
    throw Error("usage", cat("--nan ", quoted(options.nan), " is not known"), {}, "use --nan keep");
  out.seconds = options.seconds;
  out.keep = options.keep;
  out.output = options.output;
  out.passes.disabled = options.disabled_passes;
  out.compress = compress_options(options.compression);
  out.nan = options.nan;
  out.reroll_loops = options.roll_loops;
  out.taken = taken_files(options.inputs.specs, options.configs, options.engine.engine);
  for (nnef::Taken& taken : compression_files(options.compression))
    out.taken.push_back(std::move(taken));
  out.progress = console.progress();
  out.say = [&console, quiet = options.quiet](const std::string& text) {
    if (!quiet) console.print_above_progress(text + "\n");
  };
  return out;
}

/// The part, as text, if it is short.
std::string part_text(const ir::Graph& graph) {
  constexpr size_t kMost = 12;
  std::string out;
  for (size_t i = 0; i < std::min(graph.nodes.size(), kMost); ++i) {
    const ir::Node& node = graph.nodes[i];
    const std::string where = render_where(ir::node_where(graph, node));
    out += cat("  ", ir::op_name(node.op), where.empty() ? "" : "  ", where, "\n");
  }
  if (graph.nodes.size() > kMost) out += cat("  … and ", graph.nodes.size() - kMost, " more\n");
  return out;
}

/// The values of --tolerance for a part: that of the model's output that differs is for all of the
/// part's, and others are for those that it has.
std::vector<std::string> tolerances_of(const std::vector<std::string>& all,
                                       const reduce::Reduction& result) {
  std::vector<std::string> own, out;
  std::string common;
  for (const std::string& each : all) {
    const size_t equals = each.find('=');
    const std::string glob = each.substr(0, std::min(equals, each.size()));
    const auto matches = [&](const std::string& output) { return glob_matches(glob, output); };
    if (equals == std::string::npos ? common.empty() : matches(result.differing))
      common = each.substr(equals + 1);  // npos + 1 is 0
    if (equals != std::string::npos && std::ranges::any_of(result.graph.output_names, matches))
      own.push_back(each);
  }
  if (!common.empty()) out.push_back(common);
  out.insert(out.end(), own.begin(), own.end());
  return out;
}

/// The options of the check that are not the default.
std::string check_arguments(const ReduceCommand& options, const reduce::Reduction& result) {
  std::string out;
  const std::string& level = options.check.check;
  if (!level.empty() && level != kDefaultLevel) out += cat(" --check=", level);
  if (!options.stream.empty()) out += cat(" --stream ", shell_quoted(options.stream));
  for (const std::string& each : tolerances_of(options.check.tolerances, result))
    out += cat(" --tolerance ", shell_quoted(each));
  if (!options.engine.engine.empty()) out += cat(" --engine ", shell_quoted(options.engine.engine));
  const ToleranceOptions unset;
  if (options.check.seeds != unset.seeds) out += cat(" --seeds ", options.check.seeds);
  if (options.check.localise != unset.localise) out += cat(" --localize ", options.check.localise);
  return out;
}

/// The options of an export without which the file would not fail. Those of compression are in the
/// graph; a module is traced again.
std::string export_arguments(const ReduceCommand& options, bool is_module) {
  std::string out = extension_arguments(options.inputs);
  if (!options.stream.empty() && !is_module) out += cat(" --stream ", shell_quoted(options.stream));
  if (!options.nan.empty()) out += cat(" --nan ", options.nan);
  for (const std::string& pass : options.disabled_passes)
    out += cat(" --disable-pass ", shell_quoted(pass));
  if (!is_module) return out;
  if (options.roll_loops) out += " --roll-loops";
  if (options.inputs.explicit_states) out += " --state";
  for (const std::string& guard : options.inputs.accepted_guards)
    out += cat(" --accept-guard ", shell_quoted(guard));
  for (const std::string& loop : options.inputs.max_iterations)
    out += cat(" --max-iterations ", shell_quoted(loop));
  return out;
}

/// A command that shows the failure.
std::string next_step(const ReduceCommand& options, const reduce::Reduction& result) {
  std::string graph, inputs, artefact;  // `graph` may be a module
  for (const reduce::WrittenFile& file : result.files) {
    if (file.what == "the graph" || file.what == "the module") graph = file.path;
    if (file.what == "its inputs") inputs = cat(" -i ", shell_quoted("@" + file.path));
    if (file.what == "the artefact") artefact = file.path;
  }
  if (!artefact.empty())
    return cat("try: t2nnef check ", shell_quoted(graph), " ", shell_quoted(artefact), inputs,
               check_arguments(options, result), "\n");
  return cat("try: t2nnef export ", shell_quoted(graph), " -t ", options.target,
             result.module.empty() ? "" : inputs, export_arguments(options, !result.module.empty()),
             "\n");
}

std::string reduction_text(const ReduceCommand& options, const reduce::Reduction& result) {
  std::string out =
      result.module.empty()
          ? cat("reduced ", counted(result.before.operations, "operation"), " to ",
                result.after.operations, " and ", short_count(result.before.elements),
                " elements to ", short_count(result.after.elements))
          : cat("fails while it is traced: reduced ", counted(result.before.operations, "module"),
                " to ", result.after.operations, ", ", quoted(result.module));
  out += cat(", with ", counted(result.candidates, "candidate"), " in ",
             number_text("%.1f s", result.seconds),
             result.is_complete ? "" : "; stopped by --within, a smaller part may exist", "\n");
  out += cat("fails with ", result.failure.id, ": ", result.failure.message, "\n");
  out += part_text(result.graph);
  for (const reduce::WrittenFile& file : result.files)
    out += cat("wrote ", file.path, "  ", short_bytes(file.bytes), ": ", file.what, "\n");
  return out + next_step(options, result);
}

ExitCode run_reduce(const ReduceCommand& options, CommandReport& report) {
  Console console(verbosity_of(options.quiet, options.verbose), report);
  const reduce::ReduceOptions request = reduce_options(options, console);
  report.set("/model/file", options.model);
  const reduce::Reduction result = reduce::reduce(request);
  for (const reduce::WrittenFile& file : result.files) report.files.push_back(file.path);
  console.stop();
  console.finish();
  if (!options.quiet) print(reduction_text(options, result));
  return ExitCode::ok;
}

}  // namespace

void setup_reduce(CLI::App& app, Run& selected) {
  auto options = std::make_shared<ReduceCommand>();
  CLI::App* command =
      app.add_subcommand("reduce", "Find the smallest part of a model that fails in the same way");
  add_reduce_options(*command, *options);
  add_input_options(*command, options->inputs);
  add_export_options(*command, *options);
  add_compression_options(*command, options->compression);
  add_config_option(*command, &options->configs);
  command->footer(kReduceExamples);
  command->callback([options, &selected] {
    selected = [options](CommandReport& report) { return run_reduce(*options, report); };
  });
}

}  // namespace t2n::cli
