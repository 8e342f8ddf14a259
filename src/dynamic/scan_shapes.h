// SPDX-License-Identifier: Apache-2.0
// The shapes of a scan: those of its body's inputs and of its own outputs.
#pragma once

#include <vector>

#include "ir/graph.h"

namespace t2n::dynamic {

/// The shapes of the body's inputs, given those of the node's operands.
std::vector<ir::Shape> scan_input_shapes(const ir::Graph& graph, const ir::Node& node);
/// The shapes of the node's outputs, given those of the body's.
std::vector<ir::Shape> scan_output_shapes(const ir::Node& node);

}  // namespace t2n::dynamic
