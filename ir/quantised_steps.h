// The scale and the zero point of a quantised tensor as plain numbers.
#pragma once

#include <string>

#include "ir/graph.h"

namespace t2n::ir {

/// q_scale(), q_zero_point(), q_per_channel_axis().
bool asks_step(const std::string& op);
/// Whether scale and zero point follow from data: the tensor was quantised by its own range, or by
/// a scale that the graph computes, and at most moved since.
bool has_step_from_data(const Graph& graph, ValueId quantised);

}  // namespace t2n::ir
