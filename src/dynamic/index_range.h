// The positions that the integers of an index refer to, where they are known.
#pragma once

#include <optional>

#include "ir/graph.h"

namespace t2n::dynamic {

/// All of them are in [least, end).
struct Places {
  ir::Dim least;
  ir::Dim end;
};

/// For a constant or an `arange`, through views; nothing for anything else.
std::optional<Places> index_range_of(const ir::Graph& graph, ir::ValueId index);

}  // namespace t2n::dynamic
