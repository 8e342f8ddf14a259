// SPDX-License-Identifier: Apache-2.0
// Differences between traces of one program at several sizes, which rewrites can remove.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/program_point.h"
#include "src/dynamic/choose.h"
#include "src/dynamic/same.h"

namespace t2n::dynamic {

/// Every size in a trace.
std::set<int64_t> extents_of(const ir::Graph& graph);
/// Loops (Decision::id) whose number of iterations differs between runs, except `rerolled` ones.
std::set<ir::ProgramPoint> varying_loops(const std::vector<TraceAt>& runs,
                                         const std::set<ir::ProgramPoint>& rerolled);
/// Branches whose condition compares a data-dependent size, or that take both directions in the
/// runs at these sizes, in program order.
std::vector<ir::ProgramPoint> branches_on_values(const std::vector<TraceAt>& runs, const Sizes& at);
/// Branches that take different directions at different sizes, but not at the first run's, in
/// program order.
std::vector<ir::ProgramPoint> differing_branches(const std::vector<TraceAt>& runs);
/// Why a branch cannot become a select, if a run still decides there.
std::optional<std::string> reason_of(const std::vector<TraceAt>& runs, ir::ProgramPoint branch);
void note_reason(std::vector<TraceAt>& runs, ir::ProgramPoint branch, const std::string& reason);
/// Adds the operations that a run had to pad (TraceOptions::padded). Returns true if any is new.
bool add_padded(const std::vector<TraceAt>& runs, std::map<ir::ProgramPoint, int64_t>& padded);
/// Computable numbers that differ between runs.
std::set<ir::ProgramPoint> varying_numbers(const std::vector<TraceAt>& runs);

/// A few sizes at which the relation does not hold, near the sample's.
std::vector<Sizes> sizes_against(const Comparison& relation, Chooser& chooser);
/// "another axis of size 4 is not declared: …": help that names axes which may have to equal the
/// symbol.
std::string equal_axes_hint(const Symbol& symbol, const DynamicInputs& declared);

/// Sizes at which the model does not run, and why.
using Failure = std::pair<Sizes, Diagnostic>;
/// Errors: `dynamic-failed`, always.
[[noreturn]] void refuse_others(const Failure& failure, const Sizes& sample,
                                const std::string& hint);

/// True if no two symbols have the same size.
bool all_differ(const Sizes& sizes);

/// True if the relation holds for some much larger size of a single symbol, as for multiples.
bool holds_at_larger(const Comparison& relation, const Sizes& at);

}  // namespace t2n::dynamic
