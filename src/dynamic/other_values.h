// Runs with other values than the sample's, from which other sizes follow.
#pragma once

#include <vector>

#include "src/dynamic/assumptions.h"
#include "src/dynamic/same.h"

namespace t2n::dynamic {

/// The sizes that follow from values, in the order of the operations that bear them.
ir::Ints born_extents(const ir::Graph& graph);
/// One of them is 0 or 1, where programs do something else now and then.
bool has_small_births(const ir::Graph& graph);

/// Whether the graph, at the sizes that followed in another run, is what was traced there.
bool is_alike_there(const trace::Traced& traced, const TraceAt& run);

/// A branch on such sizes, of which `small` hold runs that went the other way: whether one of them
/// is what the graph is at its sizes, and the other way is for these sizes only. So a branch around
/// what writes nothing may be left out.
bool is_settled(const Need& need, const trace::Traced& traced, const std::vector<TraceAt>& small);

/// Whether a branch goes the same way for all numbers of nonzero elements that there can be.
bool is_bounded(const Need& need, const trace::Traced& traced,
                const std::vector<Comparison>& known);

/// The warning that no other size was ever seen.
Diagnostic unvaried();

/// What a file demands of sizes that follow from values has to hold for the sample's own. Errors:
/// `dynamic-assumption`.
void require_of_sample(const std::vector<Comparison>& demands, const Sizes& sample);

}  // namespace t2n::dynamic
