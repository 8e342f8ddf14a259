// SPDX-License-Identifier: Apache-2.0
// The pictures in HTML reports, coloured by what the report has about tensors and modules.
#pragma once

#include <string>

#include "src/export/pipeline.h"
#include "src/report/command_report.h"

namespace t2n::cli {

/// As HTML. Errors: those of reading.
std::string artefact_picture(const std::string& path, const report::CommandReport& report);

/// As HTML. Errors: those of tracing.
std::string traced_picture(const ExportOptions& options, const report::CommandReport& report);

}  // namespace t2n::cli
