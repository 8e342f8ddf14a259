// Graphs as files: the text form in FILE.ir, and what constants the text has no room for beside it,
// in FILE.ir.npz.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "nnef_writer/destination.h"

namespace t2n {

/// Whether a path is called as such a file is: ".ir".
bool is_graph_file(const std::filesystem::path& path);
/// "model.ir" -> "model.ir.npz"
std::filesystem::path weights_path(const std::filesystem::path& path);

/// The graph with the constants of the file beside it, if there is one; others stay not loaded.
/// Errors: `model-not-found`, `ir-syntax`, `ir-invalid` as `ir-syntax`, `input-unreadable`;
/// `weights-missing` where the file beside it has other values than the text was written with;
/// `denied-operator` for what no model may call.
ir::Graph read_graph_file(const std::filesystem::path& path);

struct WrittenGraph {
  int64_t bytes = 0;    ///< of the text
  int64_t weights = 0;  ///< of the file beside it; 0: there is none, for the text says all
};
/// Both are put in place at once each, weights first. Where the text says all, a file of weights
/// that is there already stays.
/// Errors: those of nnef::write_file; `weights-missing` for constants that are not loaded.
WrittenGraph write_graph_file(const ir::Graph& graph, const nnef::Destination& destination);
/// Whether both may be written.   Errors: those of nnef::check_destination.
void check_graph_destination(const nnef::Destination& destination);

/// Names of constants that are not loaded, in nested graphs too.
std::vector<std::string> unloaded_constants(const ir::Graph& graph);
/// Errors: `weights-missing` if there are any; `purpose` is what cannot be done: "the graph cannot
/// be run".
void require_loaded(const ir::Graph& graph, const std::string& purpose);

}  // namespace t2n
