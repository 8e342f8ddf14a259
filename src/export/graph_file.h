// SPDX-License-Identifier: Apache-2.0
// Reads and writes graphs: the text form in FILE.ir, and large constants in FILE.ir.npz (the
// weights file).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "nnef_writer/destination.h"

namespace t2n {

/// Whether a path has such a file's suffix: ".ir".
bool is_graph_file(const std::filesystem::path& path);
/// "model.ir" -> "model.ir.npz"
std::filesystem::path weights_path(const std::filesystem::path& path);

/// The graph with the constants of its weights file, if that exists; others stay unloaded.
/// Errors: `model-not-found`, `ir-syntax` (also for an invalid graph), `input-unreadable`;
/// `weights-missing` if the weights file does not belong to the text;
/// `denied-operator` for operators that no model may call.
ir::Graph read_graph_file(const std::filesystem::path& path);

struct WrittenGraph {
  int64_t bytes = 0;    ///< of the text
  int64_t weights = 0;  ///< of the weights file; 0: the text contains everything
};
/// Puts each file in place atomically, weights first. An existing weights file stays if the text
/// contains everything. Errors: those of nnef::write_file; `weights-missing` for constants that are
/// not loaded.
WrittenGraph write_graph_file(const ir::Graph& graph, const nnef::Destination& destination);
/// Whether both may be written.   Errors: those of nnef::check_destination.
void check_graph_destination(const nnef::Destination& destination);

/// Names of constants that are not loaded, in nested graphs as well.
std::vector<std::string> unloaded_constants(const ir::Graph& graph);
/// Errors: `weights-missing` if there are any; `purpose` is what they prevent: "the graph cannot be
/// run".
void require_loaded(const ir::Graph& graph, const std::string& purpose);

}  // namespace t2n
