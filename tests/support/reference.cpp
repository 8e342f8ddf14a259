// SPDX-License-Identifier: Apache-2.0
#include "tests/support/reference.h"

#include <fstream>

#include "nnef_writer/archive.h"
#include "src/check/runner.h"
#include "src/diag/error.h"
#include "src/model/torch_module.h"
#include "src/nnef/artefact.h"
#include "tests/support/temporary.h"

namespace t2n::test {

std::vector<std::vector<ir::Tensor>> run_reference(
    const std::string& artefact, const std::vector<std::vector<ir::Tensor>>& inputs,
    spec::Dialect dialect) {
  const interp::InterpModule& module = interp_module();
  const auto program = module.load(nnef::read_artefact(artefact), dialect);
  std::vector<std::vector<ir::Tensor>> out;
  for (const auto& set : inputs) {
    module.reset(*program);
    out.push_back(module.run(*program, set));
  }
  return out;
}

std::vector<std::vector<ir::Tensor>> run_reference(
    const nnef::Document& document, const std::vector<std::vector<ir::Tensor>>& inputs,
    spec::Dialect dialect) {
  const TemporaryFolder folder;
  nnef::PendingArtefact artefact =
      nnef::write_artefact(document, {folder.path() / "model", nnef::Destination::Form::folder, 0});
  return run_reference(artefact.path().string(), inputs, dialect);
}

std::vector<ir::Tensor> run_reference_text(const std::string& graph,
                                           const std::vector<ir::Tensor>& inputs,
                                           spec::Dialect dialect) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "graph.nnef") << graph;
  return run_reference(folder.path().string(), {inputs}, dialect)[0];
}

std::vector<ReferenceRun> run_beside(const std::string& artefact,
                                     const std::vector<std::vector<ir::Tensor>>& inputs) {
  std::vector<ReferenceRun> out(inputs.size());
  for (ReferenceRun& run : out) run.is_done = true;
  try {
    auto outputs = run_reference(artefact, inputs);
    for (size_t i = 0; i < out.size(); ++i) out[i].outputs = std::move(outputs[i]);
  } catch (const Error& error) {
    for (ReferenceRun& run : out) run.error = render_text(error.diagnostic());
  }
  return out;
}

std::string reference_differences(const Run& run, const check::Tolerance& tolerance) {
  const ReferenceRun& reference = run.reference;
  if (!reference.is_done) return {};
  if (!reference.error.empty()) return "the reference fails: " + reference.error;
  if (reference.outputs.size() != run.actual.size())
    return cat("the reference has ", reference.outputs.size(), " outputs\n");
  std::string out;
  for (size_t i = 0; i < run.actual.size(); ++i) {
    const check::Deviation comparison =
        check::compare(run.actual[i], reference.outputs[i], tolerance);
    if (comparison.verdict != check::Verdict::ok)
      out += check::mismatch_text(cat("the reference's output_", i), comparison) + "\n";
  }
  return out;
}

}  // namespace t2n::test
