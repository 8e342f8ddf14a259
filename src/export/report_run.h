// SPDX-License-Identifier: Apache-2.0
// What `run` has in its report.
#pragma once

#include <optional>

#include "src/check/run_artefact.h"
#include "src/report/command_report.h"

namespace t2n {

/// Of the elements of a tensor, those of complex numbers as two each. Once there is a NaN, it is
/// the result.
struct ElementStatistics {
  double min = 0, max = 0, mean = 0;
};

/// Nothing for a tensor without elements.
std::optional<ElementStatistics> statistics_of(const ir::Tensor& tensor);

/// Adds the fields "engine", "steps", "states" and "outputs".
void add_run(report::CommandReport& report, const RunResult& result, int64_t steps);

}  // namespace t2n
