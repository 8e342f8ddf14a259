// SPDX-License-Identifier: Apache-2.0
// Finds the operation of one graph that corresponds to one of the other.
#pragma once

#include <map>
#include <optional>
#include <string>
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

/// The results of matching operations: by a tensor's name in `a`, its name in `b`.
std::map<std::string, std::string> matching_tensors(const nnef::Document& a,
                                                    const nnef::Document& b);

}  // namespace t2n::diff
