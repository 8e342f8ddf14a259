// Operations that give elements of what they are given, moved or chosen by their order: they do to
// integers what they do to the reals that these stand for.
#pragma once

#include <vector>

#include "ir/graph.h"

namespace t2n::compress {

/// Of tensors with one scale. Pads count where they add zeros.
bool keeps_grid(const ir::Node& node);

/// The operands of reals, whose elements are moved; a tensor that gives its shape counts, too.
std::vector<ir::ValueId> moved_by(const ir::Graph& graph, const ir::Node& node);

/// Per value whether its scale follows from data, so that the graph says it of one run only.
std::vector<bool> dynamic_scales(const ir::Graph& graph);

}  // namespace t2n::compress
