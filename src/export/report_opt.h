// SPDX-License-Identifier: Apache-2.0
// What `opt` has in its report.
#pragma once

#include "src/export/opt.h"
#include "src/report/command_report.h"

namespace t2n {

/// Adds the fields "passes", "operations" and, if graphs were run, "input_sets"; and the files.
void add_opt(report::CommandReport& report, const OptOptions& options, const OptResult& result);

}  // namespace t2n
