// What a dynamic graph holds for only: branches, loops and multiples that were baked in.
#pragma once

#include <vector>

#include "src/diag/sink.h"
#include "src/dynamic/choose.h"
#include "src/dynamic/same.h"

namespace t2n::dynamic {

/// Branches on sizes that went the same way in all trials bind the file to those sizes, and so do
/// loops. What was not asserted is reported: `dynamic-assumption`.
std::vector<Comparison> branch_relations(const trace::Traced& traced, const Sizes& sample,
                                         const std::vector<Comparison>& asserted,
                                         const Report& report);

/// Branches, loops and numbers that follow from sizes in a way that no relation says.
void report_fixed(const std::vector<trace::Decision>& fixed, const trace::Traced& traced,
                  const Report& report);

/// Multiples that torch needs are no news to tract, but not enough for it.
void report_multiples(const std::vector<Comparison>& found, const std::vector<AxisSpec>& axes,
                      const Chooser& chooser, const Report& report);

/// A scan takes one turn or more.
std::vector<Comparison> loop_relations(const ir::Graph& graph, const Sizes& sample);

/// "S >= 1", unless something is said of S alone already.
std::vector<Comparison> positivity(const Sizes& sample, const std::vector<Comparison>& asserted);

}  // namespace t2n::dynamic
