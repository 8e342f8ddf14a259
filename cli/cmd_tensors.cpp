// SPDX-License-Identifier: Apache-2.0
// t2nnef tensors: writes the tensors of a .pt file without a graph.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "cli/commands.h"
#include "cli/options/input_options.h"
#include "cli/outputs.h"
#include "cli/screen/console.h"
#include "cli/screen/text.h"
#include "src/diag/error.h"
#include "src/export/tensors.h"

namespace t2n::cli {
namespace {

constexpr const char* kTensorsExamples =
    "examples:\n"
    "  t2nnef tensors state_dict.pt\n"
    "  t2nnef tensors checkpoint.pt --select 'model.*' -o weights\n"
    "  t2nnef tensors model.pt -o weights.npz\n";

std::string type_of(const model_file::SavedTensor& tensor) {
  const std::string shape = ir::shape_str(ir::to_shape(tensor.shape));
  return tensor.value ? cat(ir::dtype_name(tensor.value->dtype), shape) : cat(tensor.kind, shape);
}

/// How a tensor was written, if not as it is in the file.
std::string note_of(const WrittenTensor& each) {
  if (!each.tensor.same_as.empty()) return cat("the same as ", each.tensor.same_as);
  if (each.is_widened) return "written as f32";
  return {};
}

std::string tensors_text(const TensorsResult& result) {
  std::vector<std::vector<std::string>> rows;
  size_t shared = 0;
  int64_t values = 0;
  for (const WrittenTensor& each : result.tensors) {
    const bool is_shared = !each.tensor.same_as.empty();
    shared += is_shared;
    if (!is_shared) values += ir::element_count(each.tensor.shape);
    const bool is_renamed = !each.written_as.empty() && each.written_as != each.tensor.name;
    rows.push_back({each.tensor.name, type_of(each.tensor),
                    is_renamed ? cat("as ", each.written_as, "  ", note_of(each)) : note_of(each)});
  }
  return cat(table(rows), counted(result.tensors.size(), "tensor"), ", ", short_count(values),
             " values", shared == 0 ? "" : cat(", ", shared, " shared"), "\n");
}

ExitCode run_tensors(const TensorsOptions& options, CommandReport& report) {
  require_model(options.model, "tensors");
  claim_stdout(options.output);
  report.set("/model/file", options.model);
  const TensorsResult result = write_tensors(options);
  report.files.push_back(options.output);
  print(tensors_text(result));
  if (!options.output.empty() && options.output != "-")
    print(cat("wrote ", options.output, "  ", short_bytes(result.bytes), "\n"));
  return ExitCode::ok;
}

}  // namespace

void setup_tensors(CLI::App& app, Run& selected) {
  auto options = std::make_shared<TensorsOptions>();
  CLI::App* command =
      app.add_subcommand("tensors", "List or write the tensors of a .pt or .pt2 file");
  command
      ->add_option("FILE", options->model,
                   "A state dictionary, checkpoint, TorchScript or .pt2 file\n"
                   "Nothing in it is run or imported.")
      ->type_name("");
  command
      ->add_option("--select", options->select,
                   "Tensors by name: encoder.*\n"
                   "Repeatable; * matches any characters.")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  command
      ->add_option("-o,--output", options->output,
                   "DIR, .tar, .tgz of .dat files, or FILE.npz\n"
                   "Without it, only list the tensors. - is a tar on stdout.")
      ->type_name("OUT");
  command->add_flag("--all-names", options->writes_all_names,
                    "Write shared tensors under each name");
  command->footer(kTensorsExamples);
  command->callback([options, &selected] {
    selected = [options](CommandReport& report) { return run_tensors(*options, report); };
  });
}

}  // namespace t2n::cli
