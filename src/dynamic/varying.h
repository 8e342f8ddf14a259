// What differs between traces of one program at several sizes, before they are compared.
#pragma once

#include <set>
#include <vector>

#include "src/dynamic/same.h"

namespace t2n::dynamic {

/// Every size that occurs in a trace.
std::set<int64_t> extents_of(const ir::Graph& graph);
/// Loops (Decision::id) that take other numbers of iterations in other runs than in the first, but
/// for those that are rolled up.
std::set<const void*> varying_loops(const std::vector<TraceAt>& runs,
                                    const std::set<const void*>& rolled);
/// Computable numbers that are others in other runs.
std::set<const void*> varying_numbers(const std::vector<TraceAt>& runs);

/// Whether some symbol alone may be much larger than in the sample: multiples of a number are.
bool holds_far_off(const Comparison& relation, const Sizes& at);

}  // namespace t2n::dynamic
