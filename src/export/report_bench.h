// SPDX-License-Identifier: Apache-2.0
// tract's profiles, and the report of `bench`.
#pragma once

#include <string>

#include "src/export/bench.h"
#include "src/report/command_report.h"

namespace t2n {

/// The operations in a profile, the slowest first. Errors: `engine-failed` if it cannot be read.
std::vector<BenchedOperation> operations_in(const std::string& profile);

/// Adds the fields "engine", "artifacts" and, of two, "ratios".
void add_bench(report::CommandReport& report, const BenchResult& result);

}  // namespace t2n
