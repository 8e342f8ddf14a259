// Runs with other input values than the sample's, from which other sizes follow.
#pragma once

#include <array>
#include <vector>

#include "src/diag/error.h"
#include "src/dynamic/assumptions.h"
#include "src/dynamic/same.h"

namespace t2n::dynamic {

/// Values that are tried where torch does not run with the first ones: these, others, small ones.
inline constexpr std::array<uint64_t, 3> kOtherDraws = {0, 1, 3};
/// Whether a run may have failed because of its values.
bool may_be_of_values(const Error& error);

/// The sizes that follow from values, in the order of the operations that bear them.
ir::Ints unbacked_extents(const ir::Graph& graph);
/// A number of elements at which programs sometimes behave differently: 0 or 1.
inline constexpr int64_t kFew = 2;
/// True if one of them is so small.
bool has_small_unbacked_sizes(const ir::Graph& graph);

/// Puts a run at these sizes first that counts more than one of everything, if there is one.
void prefer_large(std::vector<TraceAt>& runs, const Sizes& sizes);
/// Removes the runs with zero or one counted element whose graphs are not the first run's.
std::vector<TraceAt> take_small(std::vector<TraceAt>& runs);

/// Whether the graph, at the sizes of another run, equals what was traced there.
bool is_equal_there(const trace::Traced& traced, const TraceAt& run);

/// `small`: runs in which a branch on such sizes went the other way. True if the graph equals one
/// of them at its sizes, and only these sizes take the other way. Then a branch around a write of
/// nothing may be left out.
bool is_settled(const Need& need, const trace::Traced& traced, const std::vector<TraceAt>& small);

/// The runs of `small` in which a branch went the other way because nothing was counted, if it does
/// so for no other reason.
std::vector<const TraceAt*> runs_of_none(const Need& need, const trace::Traced& traced,
                                         const std::vector<TraceAt>& small);

/// Whether a branch goes the same way for every possible number of nonzero elements.
bool is_bounded(const Need& need, const trace::Traced& traced,
                const std::vector<Comparison>& known);

/// A warning that no other size was ever seen.
Diagnostic unvaried();

/// Demands on sizes that follow from values must hold for the sample's own sizes. Adds one for each
/// number that was read as a size and that nothing alive in the graph counts: not to be negative.
/// The program's course may rely on it all the same, as `0 > n` is false for every size, and only
/// the demand keeps the operation that fails otherwise. Errors: `dynamic-assumption`.
void complete_runtime_assertions(Assertions& assertions, const ir::Graph& graph,
                                 const Sizes& sample);

}  // namespace t2n::dynamic
