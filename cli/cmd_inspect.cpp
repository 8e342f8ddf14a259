// SPDX-License-Identifier: Apache-2.0
// t2nnef inspect: shows inputs, outputs and content of a model or artefact, and a next command.
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "cli/inspect_artefact.h"
#include "cli/options/config_file.h"
#include "cli/options/input_options.h"
#include "cli/report_pictures.h"
#include "cli/screen/console.h"
#include "cli/screen/text.h"
#include "ir/readable.h"
#include "nnef_writer/print.h"
#include "src/diag/error.h"
#include "src/export/pipeline.h"
#include "src/export/report_inspection.h"
#include "src/model_file/sniff.h"
#include "src/nnef/sniff.h"
#include "src/quant/summary.h"
#include "src/report/artefact_violations.h"
#include "src/samples/placeholder.h"

namespace t2n::cli {
namespace {

constexpr const char* kInspectExamples =
    "examples:\n"
    "  t2nnef inspect model.pt\n"
    "  t2nnef inspect model.nnef.tgz --json\n"
    "  t2nnef inspect model.nnef.tgz --lint\n";

struct InspectCommand {
  std::string model;
  InputOptions inputs;
  bool graph = false;
  bool lint = false;
};

/// The user's inputs, with placeholders for those that the file does not describe.
std::vector<std::string> input_specs(const InspectCommand& options, const Inspection& inspection) {
  if (inspection.graph) return options.inputs.specs;
  std::vector<std::string> specs;
  for (const trace::ArgumentInfo& argument : inspection.model.arguments)
    for (std::string& spec : placeholders(argument)) specs.push_back(std::move(spec));
  return specs;
}

std::string export_line(const InspectCommand& options, const Inspection& inspection) {
  std::string line = cat("t2nnef export ", shell_quoted(options.model), " --target tract --check");
  for (const std::string& method : options.inputs.methods)
    line += cat(" --method ", shell_quoted(method));
  if (options.inputs.explicit_states) line += " --state";
  for (const std::string& spec : input_specs(options, inspection))
    line += cat(" -i ", shell_quoted(spec));
  for (const std::string& spec : options.inputs.dynamic)
    line += cat(" --dynamic ", shell_quoted(spec));
  for (const std::string& text : options.inputs.assertions)
    line += cat(" --assert ", shell_quoted(text));
  for (const std::string& size : options.inputs.closed)
    line += cat(" --specialize ", shell_quoted(size));
  for (const std::string& guard : options.inputs.accepted_guards)
    line += cat(" --accept-guard ", shell_quoted(guard));
  for (const std::string& most : options.inputs.max_iterations)
    line += cat(" --max-iterations ", shell_quoted(most));
  return line + extension_arguments(options.inputs);
}

std::string arguments_text(const Inspection& inspection) {
  std::vector<std::vector<std::string>> rows;
  for (const trace::ArgumentInfo& argument : inspection.model.arguments)
    rows.push_back({argument.name, argument.type, argument.has_default ? "has a default" : ""});
  return table(rows);
}

std::string samples_text(const Inspection& inspection) {
  std::string out;
  for (const trace::SampleInput& sample : inspection.model.samples)
    if (const auto* tensor = std::get_if<ir::Tensor>(&sample.value))
      out += cat("  ",
                 typed(trace::flat_name(sample.path), tensor->dtype, ir::to_shape(tensor->shape)),
                 "\n");
  return out;
}

/// The dynamic axes of a .pt2 file, and their bounds.
std::string axes_text(const trace::ModelInfo& model) {
  if (model.dynamic_axes.empty()) return {};
  std::string out = "dynamic axes:\n";
  for (const trace::DeclaredAxis& axis : model.dynamic_axes)
    out += cat("  ", axis.input, ":", axis.axis, "=", axis.size, "\n");
  if (!model.assertions.empty()) out += cat("  ", joined(model.assertions, ", "), "\n");
  return out;
}

std::string output_lines(const ir::Graph& graph) {
  std::string out;
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    const ir::Value& value = graph.values[graph.outputs[i]];
    out += cat("  ", typed(graph.output_names[i], value.dtype, value.shape), "\n");
  }
  return out;
}

std::string states_text(const Inspection& inspection) {
  std::string out;
  for (const trace::State& state : inspection.states)
    out += cat("  ", typed(state.name, state.initial.dtype, ir::to_shape(state.initial.shape)),
               ", fed by ", inspection.graph->output_names[state.output], "\n");
  return out.empty() ? out : "state:\n" + out;
}

/// The graph with the model's own operators.
const ir::Graph& recorded(const Inspection& inspection) {
  return inspection.with_quantised ? *inspection.with_quantised : *inspection.graph;
}

std::string operators_text(const ir::Graph& graph) {
  const auto operators = operators_of(graph);
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, count] : operators) rows.push_back({cat(count, "x"), name});
  return cat("operators: ", counted(graph.nodes.size(), "use"), " of ", operators.size(), "\n",
             table(rows));
}

std::string shape_text(const ir::Shape& shape) {
  const std::string text = ir::readable(shape);
  return shape.empty() ? "scalar" : text.substr(1, text.size() - 2);
}

std::string quantised_text(const ir::Graph& graph) {
  constexpr size_t kMost = 20;
  const quant::Summary all = quant::summarise(graph);
  std::string out = cat("quantised: ", counted(all.tensors.size(), "tensor"), "; weights ",
                        short_count(all.weights), " (", short_bytes(all.weight_bytes), ", ",
                        short_bytes(4 * all.weights - all.weight_bytes), " less than f32)\n");
  std::vector<std::vector<std::string>> rows;
  for (const quant::QuantisedTensor& tensor : all.tensors) {
    if (rows.size() == kMost) break;
    rows.push_back({tensor.name, shape_text(tensor.shape), quant::info_str(tensor.info)});
  }
  out += table(rows);
  if (all.tensors.size() > kMost) out += cat("  … and ", all.tensors.size() - kMost, " more\n");
  if (all.redundant_pairs > 0)
    out += cat("redundant dequantise/quantise pairs: ", all.redundant_pairs, "\n");
  if (all.fake_quantisers > 0) out += cat("fake quantisers: ", all.fake_quantisers, "\n");
  return out;
}

/// The operators that the code calls, or those of them that LibTorch lacks.
std::string code_text(const Inspection& inspection, bool only_unknown) {
  if (!inspection.code) return {};
  std::vector<std::vector<std::string>> rows;
  for (const trace::CodeOperator& called : inspection.code->operators)
    if (!only_unknown || !called.is_known)
      rows.push_back({cat(called.count, "x"), called.name,
                      called.is_known ? "" : "not known to this LibTorch"});
  if (rows.empty()) return {};
  return cat("operators in its code, whether or not a run reaches them:\n", table(rows));
}

std::string inspection_text(const InspectCommand& options, const Inspection& inspection) {
  const trace::ModelInfo& model = inspection.model;
  std::string out = cat(model_text(options.model, model), ", class ", model.class_name,
                        "\nparameters: ", short_count(model.parameters), " (",
                        short_bytes(model.parameter_bytes), ")\n");
  if (model.methods.size() > 1) out += cat("methods: ", joined(model.methods, ", "), "\n");
  out += cat("arguments of ", one_method(options.inputs), ":\n", arguments_text(inspection));
  if (!model.samples.empty()) out += "samples saved in the file:\n" + samples_text(inspection);
  out += axes_text(model);
  if (inspection.graph)
    out += cat("outputs:\n", output_lines(*inspection.graph), states_text(inspection),
               operators_text(recorded(inspection)),
               inspection.with_quantised ? quantised_text(*inspection.with_quantised) : "");
  else if (inspection.error)
    return cat(out, inspection.reached ? operators_text(*inspection.reached)
                                       : code_text(inspection, false));
  else
    out += cat(code_text(inspection, true),
               "the file contains no sample inputs: give them with -i to see outputs and "
               "operators\n");
  return cat(out,
             inspection.graph ? "to export it:\n  "
                              : "to export it, with sizes such as 1,16 for each SHAPE:\n  ",
             export_line(options, inspection), "\n");
}

/// A file that LibTorch does not load.
std::string unloaded_text(const InspectCommand& options, const Inspection& inspection) {
  return cat(options.model, ": TorchScript, format version ", inspection.code->format_version, "\n",
             code_text(inspection, false));
}

/// Each violation as an error, and their number.
ExitCode lint(const InspectCommand& options, const nnef::Artefact& artefact,
              CommandReport& report) {
  const std::vector<Diagnostic> found = report::violations(artefact);
  for (const Diagnostic& diagnostic : found) {
    report.diagnostics.report()(diagnostic);
    print_message(render_text(diagnostic));
  }
  print(cat(options.model, ": ",
            found.empty() ? "no violations" : counted(found.size(), "violation"), "\n"));
  return found.empty() ? ExitCode::ok : exit_code(found.front().id);
}

ExitCode run_on_artefact(const InspectCommand& options, CommandReport& report) {
  const InputOptions& inputs = options.inputs;
  if (!inputs.specs.empty() || !inputs.dynamic.empty() || !inputs.assertions.empty() ||
      !inputs.closed.empty() || !inputs.accepted_guards.empty() || !inputs.max_iterations.empty() ||
      inputs.explicit_states || !inputs.methods.empty())
    throw Error("usage", cat(quoted(options.model), " is an NNEF artefact, which is not traced"),
                {},
                "give it without --input, --dynamic, --assert, --specialize, --accept-guard, "
                "--max-iterations, --state and --method");
  const nnef::Artefact artefact = nnef::read_artefact(options.model);
  report.picture = [path = options.model, &report] { return artefact_picture(path, report); };
  const report::ArtefactSummary summary = report::summarise(artefact);
  report::add_summary(report, options.model, summary);
  if (options.lint) return lint(options, artefact, report);
  if (options.graph) {
    print(nnef::print(artefact.document));
    return ExitCode::ok;
  }
  print(summary_text(options.model, summary));
  return ExitCode::ok;
}

ExitCode run_on_model(const InspectCommand& options, CommandReport& report) {
  if (options.lint)
    throw Error("usage", cat(quoted(options.model), " is a model; --lint is for NNEF artefacts"),
                {}, cat("export it, or run t2nnef lint ", shell_quoted(options.model)));
  Console console(Verbosity::normal, report);
  ExportOptions prepared = traced_options(options.model, options.inputs, console.report());
  prepared.target = target::parse_target("tract");  // refusals are about one
  report.set("/model/file", options.model);
  report.picture = [prepared, &report] { return traced_picture(prepared, report); };
  const Inspection inspection = inspect_model(prepared);
  add_inspection(report, options.model, inspection);
  if (!inspection.error) report.set("/export_command", export_line(options, inspection));
  if (inspection.error) {
    print(options.graph && inspection.reached   ? ir::print(*inspection.reached)
          : inspection.model.class_name.empty() ? unloaded_text(options, inspection)
                                                : inspection_text(options, inspection));
    throw Error(*inspection.error);
  }
  if (!options.graph) {
    print(inspection_text(options, inspection));
  } else if (inspection.graph) {
    print(ir::print(*inspection.graph));
  } else {
    throw Error("input-missing", "the graph is unknown without sample inputs", {},
                cat("give them, for example: t2nnef inspect ", shell_quoted(options.model),
                    " --graph -i ", joined(input_specs(options, inspection), " -i ")));
  }
  return ExitCode::ok;
}

/// A file that the tracer does not accept may be intended as an artefact.
void explain_neither(const Error& error, const std::string& path) {
  if (error.diagnostic().subject != model_file::kUnknownKind) return;
  throw Error(
      "model-format",
      cat(quoted(path), " is neither a TorchScript or .pt2 file nor an NNEF artefact"),
      "a model is what torch.jit.save or torch.export.save wrote; an artefact is a folder or a tar",
      path.ends_with(".nnef")
          ? "give the folder that contains the file"
          : "give the folder that contains graph.nnef, a .nnef.tgz or .nnef.tar of it, or a "
            ".pt file of torch.jit.save");
}

ExitCode run_inspect(const InspectCommand& options, CommandReport& report) {
  require_model(options.model, "inspect");
  if (nnef::looks_like_artefact(options.model)) return run_on_artefact(options, report);
  try {
    return run_on_model(options, report);
  } catch (const Error& error) {
    explain_neither(error, options.model);
    throw;
  }
}

}  // namespace

void setup_inspect(CLI::App& app, Run& selected) {
  auto options = std::make_shared<InspectCommand>();
  CLI::App* command = app.add_subcommand(
      "inspect", "Show inputs, outputs and content of a model or an NNEF artefact");
  command
      ->add_option("FILE", options->model,
                   "A TorchScript or .pt2 file, or an artefact of any exporter")
      ->type_name("");
  add_input_options(*command, options->inputs);
  CLI::Option* graph = command->add_flag("--graph", options->graph,
                                         "Print the graph of a model, or an artefact's NNEF");
  command
      ->add_flag("--lint", options->lint,
                 "Print an artefact's violations of its specification\n"
                 "Exit 4 if there are any.")
      ->excludes(graph);
  add_config_option(*command);
  command->footer(kInspectExamples);
  command->callback([options, &selected] {
    selected = [options](CommandReport& report) { return run_inspect(*options, report); };
  });
}

}  // namespace t2n::cli
