// States of a model that become inputs and outputs with `--state`.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/export/pipeline.h"

namespace t2n {

/// Adds the states that a trace found to the samples, with their initial values.
std::vector<Sample> with_states(std::vector<Sample> samples, const trace::Traced& traced);

/// The declared axes, by flat name: states may grow along them.
std::set<std::pair<std::string, int64_t>> declared_axes(const DynamicOptions& dynamic);

/// Stores which output feeds which input of the next call.
void pair_states(const trace::Traced& traced, ExportResult& result);

}  // namespace t2n
