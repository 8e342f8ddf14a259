// The scale and the zero point of a quantised tensor as plain numbers.
#pragma once

#include <string>

#include "ir/graph.h"

namespace t2n::trace {

/// q_scale(), q_zero_point(), q_per_channel_axis().
bool asks_step(const std::string& op);
/// Whether they follow from data: those of what was quantised by its own range, and of what was
/// only moved since.
bool has_step_from_data(const ir::Graph& graph, ir::ValueId quantised);

}  // namespace t2n::trace
