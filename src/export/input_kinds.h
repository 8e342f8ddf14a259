// Queries about samples, for input sets.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "src/export/samples.h"

namespace t2n {

bool has_floats(const std::vector<Sample>& samples);         ///< states aside
bool has_free_integers(const std::vector<Sample>& samples);  ///< without values and ranges
/// The indices of samples that are tensors with elements.
std::vector<size_t> tensor_places(const std::vector<Sample>& samples);
/// Inputs of the graph that no output depends on, by the recorded graph.
std::set<std::string> unread_inputs(const ir::Graph& graph);

}  // namespace t2n
