// Differences between traces of one program at several sizes, before they are compared.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "src/dynamic/choose.h"
#include "src/dynamic/same.h"

namespace t2n::dynamic {

/// Every size in a trace.
std::set<int64_t> extents_of(const ir::Graph& graph);
/// Loops (Decision::id) whose number of iterations differs between runs, except those that are
/// rolled.
std::set<const void*> varying_loops(const std::vector<TraceAt>& runs,
                                    const std::set<const void*>& rolled);
/// Branches whose condition compares a size that follows from values, or that go both ways in the
/// runs at these sizes, in the order in which the program meets them.
std::vector<const void*> branches_on_values(const std::vector<TraceAt>& runs, const Sizes& at);
/// Branches that go different ways at different sizes, but not at the first run's, in the order in
/// which the program meets them.
std::vector<const void*> differing_branches(const std::vector<TraceAt>& runs);
/// Why no select stands for a branch, if a run still decides there.
std::optional<std::string> reason_of(const std::vector<TraceAt>& runs, const void* branch);
void note_reason(std::vector<TraceAt>& runs, const void* branch, const std::string& reason);
/// Adds the operations that a run had to pad (TraceOptions::padded). Returns whether any is new.
bool add_padded(const std::vector<TraceAt>& runs, std::map<const void*, int64_t>& padded);
/// Computable numbers that differ between runs.
std::set<const void*> varying_numbers(const std::vector<TraceAt>& runs);

/// Further sizes at which the relation does not hold; nothing if none are found.
std::optional<Sizes> sizes_against(const Comparison& relation, Chooser& chooser);
/// "an axis that is 4 in the sample as well is not declared: …": what may have to be as large as
/// the symbol, for a message.
std::string twins_of(const Symbol& symbol, const DynamicInputs& declared);

/// Sizes at which the model does not run, and why.
using Failure = std::pair<Sizes, Diagnostic>;
/// Errors: `dynamic-failed`, always.
[[noreturn]] void refuse_others(const Failure& failure, const Sizes& sample,
                                const std::string& hint);

/// Whether no two symbols have the same size.
bool all_differ(const Sizes& sizes);

/// Whether a single symbol may be much larger than in the sample, as with multiples of a number.
bool holds_far_off(const Comparison& relation, const Sizes& at);

}  // namespace t2n::dynamic
