// SPDX-License-Identifier: Apache-2.0
// Which nodes of a graph are the iterations of which loop.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/graph.h"

namespace t2n::ir {

/// A run of a loop whose iterations are nodes of a graph, one iteration after another.
struct UnrolledLoop {
  int64_t loop = 0;            ///< the program's loop: the same for all of its runs
  Symbol number = "";          ///< symbol of the iteration's number in arguments
  Dim length;                  ///< the number of iterations, constant or over sizes
  std::vector<size_t> bounds;  ///< nodes before the first iteration, after it, after the second, …
  friend bool operator==(const UnrolledLoop&, const UnrolledLoop&) = default;
};

/// Graph attribute: the loops in the order in which they end, inner ones first
/// (std::vector<UnrolledLoop>). It refers to the recorded nodes: adding or removing
/// nodes removes the attribute.
inline constexpr const char* kUnrolledLoops = "unrolled_loops";

}  // namespace t2n::ir
