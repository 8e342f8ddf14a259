// Which nodes of a graph are the iterations of which loop.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/graph.h"

namespace t2n::ir {

/// A run of a loop whose iterations stand in a graph, one after the other.
struct UnrolledLoop {
  int64_t loop = 0;            ///< of the program: the same for all of its runs
  Symbol number = "";          ///< of the iteration, where arguments name it
  Dim length;                  ///< how many iterations: a number, or an expression over sizes
  std::vector<size_t> bounds;  ///< nodes before the first iteration, after it, after the second, …
  friend bool operator==(const UnrolledLoop&, const UnrolledLoop&) = default;
};

/// Graph attribute: the loops in the order in which they end, inner ones first
/// (std::vector<UnrolledLoop>). They are true of the nodes as they were recorded: what removes or
/// adds nodes removes the attribute.
inline constexpr const char* kUnrolledLoops = "unrolled_loops";

}  // namespace t2n::ir
