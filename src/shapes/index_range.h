// SPDX-License-Identifier: Apache-2.0
// The range of an index tensor's integers, if it is known.
#pragma once

#include <optional>

#include "ir/graph.h"

namespace t2n::shapes {

/// All integers are in [least, end).
struct IndexRange {
  ir::Dim least;
  ir::Dim end;
};

/// For a constant or an `arange`, through views; nothing for anything else.
std::optional<IndexRange> index_range_of(const ir::Graph& graph, ir::ValueId index);

}  // namespace t2n::shapes
