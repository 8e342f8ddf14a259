// What is said of an export in the end.
#pragma once

#include <string>

#include "src/export/pipeline.h"

namespace t2n::cli {

/// "model.pt: traced, format 6 · x f32[1,3] (from trace) · 12 operations · 1.2 k parameters"; of
/// several methods, a line of each behind that of the model.
std::string models_text(const std::vector<ExportOptions>& methods,
                        const std::vector<ExportResult>& results);

/// Tables of checks and compression, and what was written.
std::string results_text(const std::vector<ExportOptions>& methods,
                         const std::vector<ExportResult>& results);

}  // namespace t2n::cli
