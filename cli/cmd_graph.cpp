// SPDX-License-Identifier: Apache-2.0
// t2nnef graph: writes a picture of a model, a graph or an artefact.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <span>

#include "cli/commands.h"
#include "cli/options/config_file.h"
#include "cli/options/input_options.h"
#include "cli/outputs.h"
#include "cli/screen/console.h"
#include "cli/screen/text.h"
#include "nnef_writer/output.h"
#include "src/diag/error.h"
#include "src/export/graph_file.h"
#include "src/export/model_picture.h"
#include "src/nnef/artefact.h"
#include "src/nnef/sniff.h"
#include "src/picture/colors.h"
#include "src/picture/formats.h"
#include "src/picture/from_artefact.h"
#include "src/picture/from_graph.h"

namespace t2n::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kGraphExamples =
    "examples:\n"
    "  t2nnef graph model.pt -o model.html\n"
    "  t2nnef graph model.nnef.tgz -o model.svg -o model.json\n"
    "  t2nnef graph model.pt -o loss.html --colors report.json\n";

struct GraphCommand {
  std::string model;
  std::string target = "tract";
  std::vector<std::string> outputs;
  std::string colors;
  InputOptions inputs;
  std::vector<std::string> configs;
  bool quiet = false;
};

struct Format {
  std::string_view suffix;
  std::string (*write)(const picture::Picture& picture);
};
constexpr std::array<Format, 4> kFormats = {{{".html", picture::html},
                                             {".svg", picture::svg},
                                             {".dot", picture::dot},
                                             {".json", picture::json}}};

/// By the suffix.   Errors: `usage`.
const Format& format_of(const std::string& output) {
  const std::string suffix = fs::path(output).extension().string();
  const auto* const found = std::find_if(kFormats.begin(), kFormats.end(),
                                         [&](const Format& each) { return each.suffix == suffix; });
  if (found == kFormats.end())
    throw Error("usage", cat("no picture has the suffix of ", quoted(output)), {},
                "the suffix determines the format: .html, .svg, .dot or .json");
  return *found;
}

/// MODEL.html in the working directory, if no output is given.
std::vector<std::string> outputs_of(const GraphCommand& options) {
  if (!options.outputs.empty()) return options.outputs;
  std::string name = fs::path(options.model).filename().string();
  for (const char* suffix : {".tgz", ".gz", ".tar", ".nnef", ".pt", ".ir"})
    if (name.ends_with(suffix) && name.size() > std::string_view(suffix).size())
      name.resize(name.size() - std::string_view(suffix).size());
  return {name + ".html"};
}

std::vector<nnef::Destination> destinations(const GraphCommand& options) {
  std::vector<nnef::Taken> taken =
      taken_files(options.inputs.specs, options.configs, /*engine=*/{});
  taken.push_back({"the model", options.model, /*is_model=*/true});
  if (is_graph_file(options.model))
    taken.push_back({"the graph's weights", weights_path(options.model)});
  if (!options.colors.empty()) taken.push_back({"the report", options.colors});
  std::vector<nnef::Destination> out;
  for (const std::string& output : outputs_of(options)) {
    format_of(output);
    nnef::Destination destination = nnef::file_destination(output);
    destination.taken = taken;
    nnef::check_destination(destination);
    taken.push_back({"another output", output});
    out.push_back(std::move(destination));
  }
  return out;
}

picture::Picture picture_of(const GraphCommand& options, Console& console) {
  const std::string title = fs::path(options.model).filename().string();
  const target::Target target = target::parse_target(options.target);
  const bool is_artefact = nnef::looks_like_artefact(options.model);
  if (is_artefact || is_graph_file(options.model)) {
    if (has_trace_options(options.inputs) || !options.inputs.specs.empty())
      throw Error("usage", cat(quoted(options.model), " is not traced"), {},
                  "give it without --input and other options for tracing");
    if (is_artefact) return picture::from_artefact(nnef::read_artefact(options.model), title);
    return picture::from_graph(read_graph_file(options.model), title, "graph", {});
  }
  ExportOptions traced = traced_options(options.model, options.inputs, console.report());
  traced.target = target;
  use_extensions(options.inputs, &target);
  return model_picture(traced);
}

/// Before the model is loaded, which confines the process.
std::optional<picture::ColorTable> colors_of(const GraphCommand& options) {
  if (options.colors.empty()) return {};
  std::error_code error;
  if (!fs::exists(options.colors, error))
    throw Error("input-unreadable", cat("cannot open ", quoted(options.colors)),
                error ? error.message() : "No such file or directory");
  nnef::require_file(options.colors, "input-unreadable");
  const nnef::Content content = nnef::map_file(options.colors);
  return picture::read_colors(
      {reinterpret_cast<const char*>(content.bytes.data()), content.bytes.size()}, options.colors);
}

void use_colors(const GraphCommand& options, const picture::ColorTable& table,
                picture::Picture& picture, const Report& report) {
  const std::vector<std::string> unknown = picture::color(picture, table);
  if (unknown.size() == table.values.size())
    throw Error("input-unreadable",
                cat("no name in ", quoted(options.colors), " is one of ", quoted(options.model)),
                cat("the first is ", quoted(unknown.front())),
                "names are those of tensors and modules; the graph as .json lists them");
  if (!unknown.empty())
    report(Diagnostic{.severity = Severity::note,
                      .id = "input-unknown",
                      .message = cat(unknown.size(), " of ", table.values.size(), " names in ",
                                     quoted(options.colors), " are not in the graph"),
                      .details = {cat("the first is ", quoted(unknown.front()))}});
}

ExitCode run_graph(const GraphCommand& options, CommandReport& report) {
  require_model(options.model, "graph");
  report.set("/model/file", options.model);
  Console console(options.quiet ? Verbosity::quiet : Verbosity::normal, report);
  const std::vector<nnef::Destination> outputs = destinations(options);
  const std::optional<picture::ColorTable> colors = colors_of(options);
  picture::Picture picture = picture_of(options, console);
  if (colors) use_colors(options, *colors, picture, console.report());
  std::vector<std::string> texts;
  for (const nnef::Destination& output : outputs)
    texts.push_back(format_of(output.path.string()).write(picture));
  console.stop();
  for (size_t i = 0; i < outputs.size(); ++i) {
    nnef::write_file(outputs[i], [&](nnef::FileWriter& file) {
      file.write(std::as_bytes(std::span(texts[i])));
    });
    report.files.push_back(outputs[i].path.string());
    const size_t groups = picture.groups.size() - 1;
    console.line(cat("wrote ", outputs[i].path.string(), "  ",
                     short_bytes(static_cast<int64_t>(texts[i].size())), ": ",
                     counted(picture.nodes.size(), "node"),
                     groups == 0 ? "" : cat(" in ", counted(groups, "group"))));
  }
  console.finish();
  return ExitCode::ok;
}

}  // namespace

void setup_graph(CLI::App& app, Run& selected) {
  auto options = std::make_shared<GraphCommand>();
  CLI::App* command =
      app.add_subcommand("graph", "Draw a model, a graph or an NNEF artefact as HTML or SVG");
  command
      ->add_option("FILE", options->model,
                   "A TorchScript or .pt2 file, a graph FILE.ir, or an artefact")
      ->type_name("");
  command
      ->add_option("-o,--output", options->outputs,
                   "PATH.html, .svg, .dot or .json; repeatable\n"
                   "Without it, MODEL.html in the working directory. The HTML needs no network.")
      ->type_name("PATH")
      ->allow_extra_args(false);
  command->add_option("-t,--target", options->target, "Target of the NNEF lines of a model [tract]")
      ->type_name("TARGET");
  command
      ->add_option("--colors", options->colors,
                   "Colour operations by the values in a report\n"
                   "Differences of a check, or losses of a compression; or a JSON file with "
                   "`label`, and `values` by name.")
      ->type_name("FILE");
  add_input_options(*command, options->inputs);
  command->add_flag("-q,--quiet", options->quiet, "Print only warnings and errors");
  add_config_option(*command, &options->configs);
  command->footer(kGraphExamples);
  command->callback([options, &selected] {
    selected = [options](CommandReport& report) { return run_graph(*options, report); };
  });
}

}  // namespace t2n::cli
