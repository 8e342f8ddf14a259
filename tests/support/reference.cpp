#include "tests/support/reference.h"

#include <fstream>

#include "nnef_writer/archive.h"
#include "src/export/torch_module.h"
#include "src/nnef_reader/artefact.h"
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

}  // namespace t2n::test
