// SPDX-License-Identifier: Apache-2.0
// What `inspect` has in its report about a model.
#pragma once

#include "src/export/pipeline.h"
#include "src/report/command_report.h"

namespace t2n {

/// Adds the fields "model" and "arguments", and, as far as they are known, "outputs", "states",
/// "operators" and "quantised".
void add_inspection(report::CommandReport& report, const std::string& file,
                    const Inspection& inspection);

}  // namespace t2n
