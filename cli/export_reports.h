// The report and the debug bundle of an export.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/console.h"
#include "src/diag/error.h"
#include "src/export/debug_bundle.h"
#include "src/export/report.h"

namespace t2n::cli {

/// The result or the error of the pipeline, for the report.
struct Outcome {
  std::vector<ExportResult> results;
  std::optional<Error> error;
};

/// A report must not replace a file that the export reads or writes.
nnef::Destination report_destination(const std::string& path,
                                     std::span<const ExportOptions> methods);

ExportReport report_of(const std::vector<ExportOptions>& methods, const Outcome& outcome,
                       const Console& console, double seconds);

/// Starts the bundle, before any step, and sends what all methods report to its log; nullptr if
/// `folder` is "".
std::shared_ptr<DebugBundle> start_bundle(const std::string& folder,
                                          std::vector<ExportOptions>& methods);

/// Writes the report to `path`, unless it is "", and into the bundle, if there is one.
void write_reports(const std::string& path, DebugBundle* bundle, const ExportReport& report);

}  // namespace t2n::cli
