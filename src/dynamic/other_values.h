// SPDX-License-Identifier: Apache-2.0
// Runs with other input values than the sample's, which give other data-dependent sizes.
#pragma once

#include <array>
#include <vector>

#include "src/diag/error.h"
#include "src/dynamic/assumptions.h"
#include "src/dynamic/same.h"

namespace t2n::dynamic {

/// Seeds of the values to try if torch fails on the first ones: the sample, random, small values.
inline constexpr std::array<uint64_t, 3> kOtherSeeds = {0, 1, 3};
/// True if a run may have failed because of its values.
bool may_be_of_values(const Error& error);

/// The data-dependent sizes, in the order of the operations that produce them.
ir::Ints unbacked_extents(const ir::Graph& graph);
/// A number of elements at which programs sometimes behave differently: 0 or 1.
inline constexpr int64_t kFew = 2;
/// True if one of them is so small.
bool has_small_unbacked_sizes(const ir::Graph& graph);

/// Puts a run at these sizes first whose data-dependent sizes all exceed 1, if there is one.
void prefer_large(std::vector<TraceAt>& runs, const Sizes& sizes);
/// Removes the runs with a data-dependent size of 0 or 1 whose graphs differ from the first run's.
std::vector<TraceAt> take_small(std::vector<TraceAt>& runs);

/// True if the graph, at the sizes of another run, is isomorphic to that run's trace.
bool matches_run(const trace::Traced& traced, const TraceAt& run);

/// `small`: runs in which a branch on data-dependent sizes took the other direction. True if the
/// graph matches one of them, and only its sizes take that direction: the assertion is redundant,
/// as for a branch around a write of nothing.
bool is_redundant(const Need& need, const trace::Traced& traced, const std::vector<TraceAt>& small);

/// The runs of `small` in which a branch took the other direction because a data-dependent size is
/// 0; none if it may do so for another reason.
std::vector<const TraceAt*> runs_with_zero(const Need& need, const trace::Traced& traced,
                                           const std::vector<TraceAt>& small);

/// True if a branch takes the same direction for every possible number of nonzero elements.
bool is_bounded(const Need& need, const trace::Traced& traced,
                const std::vector<Comparison>& known);

/// A warning that data-dependent sizes were the same in all runs.
Diagnostic unvaried();

/// Checks that the runtime assertions hold for the sample's own sizes. Adds the assertion n >= 0
/// for each number that was read as a size and is not the size of a live tensor: the trace may rely
/// on it, as `0 > n` is false for every size, and without the assertion the operation that fails on
/// a negative number is dead code. Errors: `dynamic-assumption`.
void complete_runtime_assertions(Assertions& assertions, const ir::Graph& graph,
                                 const Sizes& sample);

}  // namespace t2n::dynamic
