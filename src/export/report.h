// The report of an export as JSON, for programs: `t2nnef.report/1`; later versions only add fields.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nnef_writer/destination.h"
#include "src/diag/steps.h"
#include "src/export/check_command.h"
#include "src/export/pipeline.h"

namespace t2n {

struct ExportReport {
  std::string tool_version;
  std::string torch_version;  ///< of the loaded LibTorch; "" if it was never loaded
  ExitCode code = ExitCode::ok;
  std::vector<Diagnostic> diagnostics;  ///< warnings, notes and the error
  std::vector<Step> steps;
  double seconds = 0;
  std::span<const ExportOptions> methods;  ///< one or more
  std::span<const ExportResult> results;   ///< one per method; none after an error
};

/// "traced", "scripted", "frozen"
std::string_view kind_name(trace::FileKind kind);

/// For `check`: `t2nnef.check/1`; later versions only add fields.
std::string check_json(const CheckExistingOptions& options, const CheckedExisting& checked);

/// Keys have a fixed order; infinite numbers are null.
std::string report_json(const ExportReport& report);

/// Replaces the file atomically.   Errors: those of nnef::write_file.
void write_report(const nnef::Destination& destination, const ExportReport& report);

}  // namespace t2n
