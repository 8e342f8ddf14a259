// SPDX-License-Identifier: Apache-2.0
// A graph in text form, FILE.ir, in place of a model: it is not traced, and gives its own
// reference.
#pragma once

#include <string>
#include <vector>

#include "nnef_writer/destination.h"
#include "src/export/traced_model.h"

namespace t2n {

/// One sample for each input of a graph: the user's, or one with the input's shape, at the sample
/// sizes in the graph, and its range. Errors: `input-missing` for a symbol without a size,
/// `input-shape`, `input-unknown`.
std::vector<Sample> samples_for(const ir::Graph& graph, const std::vector<Sample>& samples);

/// Reads FILE.ir; no session.   Errors: those of read_graph_file; `weights-missing`.
LoadedModel load_graph(const ModelOptions& options);
/// The loaded graph as a traced model.   Errors: those of samples_for and expand_quantised.
TracedModel model_of_graph(const LoadedModel& loaded);

/// Refuses a model whose file changed since it was loaded (TorchModule::verify).
void verify_file(const LoadedModel& model, bool checks_bytes);

/// The files of a model, which no output may replace.
std::vector<nnef::Taken> model_files(const std::string& path);

}  // namespace t2n
