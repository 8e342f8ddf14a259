// SPDX-License-Identifier: Apache-2.0
// The debug bundle of an export, and the paths of its reports.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "src/diag/error.h"
#include "src/export/debug_bundle.h"
#include "src/export/pipeline.h"
#include "src/report/command_report.h"

namespace t2n::cli {

/// No report may replace an artefact, whose path may be a default, and no artefact a report.
void require_other_paths(const std::vector<std::string>& reports,
                         std::vector<ExportOptions>& methods);

/// Starts the bundle, before any step, and sends what all methods report to its log; nullptr if
/// `folder` is "".
std::shared_ptr<DebugBundle> start_bundle(const std::string& folder,
                                          std::vector<ExportOptions>& methods);

/// Writes the report into the bundle, if there is one; and the error, if there is one, to its log.
void end_bundle(DebugBundle* bundle, report::CommandReport& report, const Error* error);

}  // namespace t2n::cli
