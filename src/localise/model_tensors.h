// SPDX-License-Identifier: Apache-2.0
// The tensors of the model that an artefact's are compared with: torch's, and those of an export.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/check/check_model.h"
#include "src/localise/flow.h"
#include "src/localise/frontier.h"
#include "src/localise/probe.h"

namespace t2n::localise {

/// An export of the model, as a folder.
struct ExportedFile {
  Probed probed;  ///< its document has origins
  Flow flow;
};

struct ModelTensors {
  ir::Graph graph;                 ///< at the sizes of the inputs
  std::vector<ir::Tensor> inputs;  ///< of the graph
  GraphFlow torch;
  /// Nothing if the model cannot be exported for the artefact's target.
  std::optional<ExportedFile> exported;
  check::Runner* engine = nullptr;  ///< computes the export's tensors as torch does, or nullptr
  std::unique_ptr<check::Runner> own_engine;  ///< `engine`, unless that is the check's
  size_t at_once = 1;  ///< how many tensors fit into the memory for intermediate results

  /// The export first, if an engine computes it.
  Reference reference() const;
  /// "the export in tract 0.23.9 and torch"
  std::string description() const;
};

/// The inputs that a check found a difference with, else the samples.
InputSet inputs_of(const Checking& checking, const CheckResult& result);

/// Computes them on a set of inputs. `outputs`: the artefact's, in the model's order, for which an
/// engine must give a better result to be trusted.
ModelTensors model_tensors(const Checking& checking, const InputSet& set,
                           const std::vector<ir::Tensor>& outputs, bool may_export);

/// What the engine takes for an artefact's inputs, in the order of the graph's parameters.
std::vector<ir::Tensor> fed_to(const nnef::Document& document, const std::vector<ir::Tensor>& all,
                               const std::vector<size_t>& indices);
/// The order of the engine's inputs.
spec::Dialect order_in(const check::Runner& engine, spec::Dialect dialect);

/// The operation of the model that computes a tensor of it.
nnef::Origin origin_of(const ModelTensors& model, RefTensor tensor);
/// Its values; nothing if they cannot be computed again.
std::optional<ir::Tensor> value_of(const ModelTensors& model, RefTensor tensor);

}  // namespace t2n::localise
