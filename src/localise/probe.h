// SPDX-License-Identifier: Apache-2.0
// Runs an artefact with more outputs, so that its intermediate results are known.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/check/input_sets.h"
#include "src/check/runner.h"
#include "src/localise/flow.h"
#include "src/nnef/ast.h"
#include "src/spec/operations.h"

namespace t2n::localise {

/// An artefact as a folder of its own, whose graph.nnef is rewritten for each run.
struct Probed {
  nnef::Document document;  ///< as read
  std::filesystem::path folder;
  std::vector<ir::Tensor> inputs;  ///< in the order of the graph's parameters
  spec::Dialect order = spec::Dialect::tract;
};

/// Copies an artefact's files to a new folder.   Errors: `cannot-write`, those of reading.
void copy_files(const std::string& artefact, const std::filesystem::path& folder);

/// Writes the graph as it was read.
void restore_graph(const Probed& probed);

/// The values of these tensors; none if the engine fails.
std::optional<std::vector<ir::Tensor>> tensors_in(const Probed& probed,
                                                  const std::vector<std::string>& names,
                                                  check::Runner& engine);

/// A tensor on the entire inputs, and in pulses, as far as both have the same entries.
struct Streamed {
  ir::Tensor entire;
  ir::Tensor in_pulses;
};
/// The same for a set that is fed in pulses.
std::optional<std::vector<Streamed>> streamed_in(const Probed& probed,
                                                 const std::vector<std::string>& names,
                                                 const InputSet& set, check::Runner& engine);

std::vector<std::string> names_of(const Flow& flow, std::span<const size_t> tensors);

/// Sets the digests of the tensors that operations compute, in chunks of `most` tensors. Leaves out
/// those that the engine cannot return, and those of `skipped`.
void measure(Flow& flow, const Probed& probed, check::Runner& engine, size_t most);

/// Calls `measure` for chunks of at most `most` of the tensors that operations compute. A chunk for
/// which it fails is halved.
void for_chunks(const Flow& flow, size_t most,
                const std::function<bool(std::span<const size_t> chunk)>& measure);

/// Whether the engine runs the artefact with these statements and results. Errors of the engine are
/// returned, others thrown.
std::optional<Diagnostic> failure_of(const Probed& probed, const nnef::Document& document,
                                     check::Runner& engine);

/// Sets the digests of a recorded graph's values, computed by torch. The graph must have fixed
/// sizes.
void measure(GraphFlow& flow, const ir::Graph& graph, const std::vector<ir::Tensor>& inputs,
             size_t most);
/// One of its values.
std::optional<ir::Tensor> value_in_torch(const ir::Graph& graph, ir::ValueId id,
                                         const std::vector<ir::Tensor>& inputs);

/// How many tensors of a graph fit into the memory for intermediate results, all as large as its
/// largest.
size_t most_at_once(const ir::Graph& graph);

}  // namespace t2n::localise
