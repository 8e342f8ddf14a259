// Sizes around and inside a scan: of what its body sees, and of what its iterations give.
#pragma once

#include <vector>

#include "ir/graph.h"

namespace t2n::dynamic {

/// The shapes of the body's inputs, given those of the node's operands.
std::vector<ir::Shape> scan_input_shapes(const ir::Graph& graph, const ir::Node& node);
/// The shapes of the node's outputs, given those of the body's.
std::vector<ir::Shape> scan_output_shapes(const ir::Node& node);

}  // namespace t2n::dynamic
