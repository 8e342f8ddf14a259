// What samples hold, as far as input sets ask.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "src/export/samples.h"

namespace t2n {

bool has_floats(const std::vector<Sample>& samples);         ///< states aside
bool has_free_integers(const std::vector<Sample>& samples);  ///< without values and ranges
/// Which samples are tensors with elements.
std::vector<size_t> tensor_places(const std::vector<Sample>& samples);
/// Inputs of the graph that no output follows from, by all that was recorded.
std::set<std::string> unread_inputs(const ir::Graph& graph);

}  // namespace t2n
