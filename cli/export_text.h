// SPDX-License-Identifier: Apache-2.0
// The summary that `export` prints.
#pragma once

#include <string>

#include "src/export/pipeline.h"

namespace t2n::cli {

/// "model.pt: traced, format 6 · x f32[1,3] (from trace) · 12 operations · 1.2 k parameters"; of
/// several methods, one line for each after the line of the model.
std::string models_text(const std::vector<ExportOptions>& methods,
                        const std::vector<ExportResult>& results);

/// Tables of checks and compression, and the files written.
std::string results_text(const std::vector<ExportOptions>& methods,
                         const std::vector<ExportResult>& results);

}  // namespace t2n::cli
