// Which places of an axis the integers of an index are, where they are known.
#pragma once

#include <optional>

#include "ir/graph.h"

namespace t2n::dynamic {

/// All of them are in [least, end).
struct Places {
  ir::Dim least;
  ir::Dim end;
};

/// Of a constant, or of an `arange`, through views; nothing of anything else.
std::optional<Places> places_of(const ir::Graph& graph, ir::ValueId index);

}  // namespace t2n::dynamic
