// SPDX-License-Identifier: Apache-2.0
// What `export` and `check` have in their reports.
#pragma once

#include <vector>

#include "src/export/check_command.h"
#include "src/export/pipeline.h"
#include "src/report/command_report.h"

namespace t2n {

/// Adds the fields "model" and "check".
void add_check(report::CommandReport& report, const CheckExistingOptions& options,
               const CheckedExisting& checked);

/// Adds the fields of an export. `results`: of the methods that came far enough to have one. Of
/// several methods, each has an object in "methods" with the fields of a single method's report.
void add_export(report::CommandReport& report, const std::vector<ExportOptions>& methods,
                const std::vector<ExportResult>& results);

}  // namespace t2n
