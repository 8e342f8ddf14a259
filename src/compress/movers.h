// Operations whose results are elements of their operands, moved or selected by order: they do the
// same to integers as to the reals that these represent.
#pragma once

#include <vector>

#include "ir/graph.h"

namespace t2n::compress {

/// For tensors with one scale. Pads count if they add zeros.
bool keeps_qparams(const ir::Node& node);

/// The real operands whose elements are moved; a tensor that only gives its shape counts as well.
std::vector<ir::ValueId> moved_by(const ir::Graph& graph, const ir::Node& node);

/// For each value, whether its scale follows from data, so that the graph holds that of one run.
std::vector<bool> dynamic_scales(const ir::Graph& graph);

}  // namespace t2n::compress
