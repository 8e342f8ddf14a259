// Which operation of one graph is which of the other.
#pragma once

#include <optional>
#include <vector>

#include "src/diff/flat_graph.h"

namespace t2n::diff {

struct Matching {
  std::vector<std::optional<size_t>> of_a;  ///< per node of a, its node in b
  std::vector<std::optional<size_t>> of_b;
};

/// By dataflow: what is computed in the same way from the same, then what is used in the same way,
/// then by order. Only operations of the same name match.
Matching match(const FlatGraph& a, const FlatGraph& b);

}  // namespace t2n::diff
