// SPDX-License-Identifier: Apache-2.0
// Finds the operation of one graph that corresponds to one of the other.
#pragma once

#include <optional>
#include <vector>

#include "src/diff/flat_graph.h"

namespace t2n::diff {

struct Matching {
  std::vector<std::optional<size_t>> of_a;  ///< by node of a, its node in b
  std::vector<std::optional<size_t>> of_b;
};

/// Matches by dataflow: first equal computations, then equal uses, then by order. Only operations
/// of the same name match.
Matching match(const FlatGraph& a, const FlatGraph& b);

}  // namespace t2n::diff
