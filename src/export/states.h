// What an export does with the parts of a model that are inputs and outputs under `--state`.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/export/pipeline.h"

namespace t2n {

/// The states that a trace found are samples from then on, with the values they had in it.
std::vector<Sample> with_states(std::vector<Sample> samples, const trace::Traced& traced);

/// Axes of states are declared as those of inputs; along them a state may grow.
std::set<std::pair<std::string, int64_t>> declared_axes(const DynamicOptions& dynamic);

/// Notes which output feeds which input of the next call.
void pair_states(const trace::Traced& traced, ExportResult& result);

}  // namespace t2n
