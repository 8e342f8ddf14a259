// The choices of an engine in a check: references with them, and the steps between them.
#pragma once

#include <string>
#include <vector>

#include "src/export/check_model.h"

namespace t2n {

/// The number of sets whose differences follow from choices that torch leaves open; their
/// references have these then. `actual`: the file's results, by set; `quanta`: the distance between
/// the values of an output that comes from a quantiser.
size_t settle_sets(InputSets& sets, const TracedModel& model, const CheckOptions& options,
                   check::Runner& runner, spec::Dialect dialect, const std::string& artefact,
                   const std::vector<std::vector<ir::Tensor>>& actual,
                   const std::vector<std::optional<double>>& quanta);

/// Compares the steps of a model with quantisers whose outputs hardly react, and notes in the rows
/// that they are right.
void compare_steps(const InputSets& sets, const TracedModel& model, const CheckOptions& options,
                   check::Runner& runner, spec::Dialect dialect, const std::string& artefact,
                   CheckResult& result);

}  // namespace t2n
