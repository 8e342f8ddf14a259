// Outputs that no value of an input moves: they are right if they are equal.
#pragma once

#include <vector>

#include "ir/graph.h"
#include "src/export/input_sets.h"

namespace t2n {

/// By output, whether comparing it is enough although it does not move: by the recorded graph it
/// follows from no value of an input, and from no size, or from sizes, and it was another for some.
std::vector<bool> fixed_outputs(const ir::Graph& graph, const InputSets& sets);

}  // namespace t2n
