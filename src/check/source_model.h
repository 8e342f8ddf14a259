// SPDX-License-Identifier: Apache-2.0
// The model that a check compares an artefact with.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "src/nnef/ast.h"
#include "src/dynamic/probes.h"
#include "src/model/torch_module.h"
#include "src/samples/samples.h"
#include "src/target/target.h"

namespace t2n {

/// A traced model, as an export or the command `check` hands it to a check. Its parts outlive it.
struct SourceModel {
  trace::Session* session;  ///< nullptr: the model is a graph from a file
  const std::vector<Sample>& samples;
  const trace::Traced& traced;
  const std::vector<std::string>& inputs;  ///< names of the graph's inputs
  const dynamic::DynamicTrace* dynamic;    ///< nullptr: no size is symbolic
  const ir::Graph& graph;      ///< what the artefact computes: as recorded, or compressed
  bool is_compressed = false;
  /// Exports a graph with the model's inputs for a target, without pass options. Errors: those of
  /// passes and translation.
  std::function<nnef::Document(ir::Graph graph, const target::Target& target)> to_document = {};

  /// Whether `graph` gives the reference, instead of LibTorch's executor.
  bool is_graph() const { return is_compressed || session == nullptr; }
};

/// The set's tensors for each input of the model's graph; complex ones as pairs.
std::vector<ir::Tensor> graph_inputs(const std::vector<trace::SampleInput>& inputs,
                                     const SourceModel& model);

/// The outputs of torch, or of the graph, for inputs of these sizes. Errors:
/// `forward-failed`.
std::vector<ir::Tensor> reference_outputs(const SourceModel& model,
                                          const std::vector<trace::SampleInput>& inputs,
                                          const dynamic::Sizes& sizes, trace::Executor executor);

}  // namespace t2n
