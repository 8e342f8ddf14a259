// SPDX-License-Identifier: Apache-2.0
// The reports of a command: --report, --json and --format.
#pragma once

#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/options/app.h"

namespace t2n::cli {

struct ReportOptions {
  std::vector<std::string> files;
  bool json = false;
  std::string format;
};

void add_report_options(CLI::App& command, ReportOptions& options);

/// Runs the work of a command and writes its reports, also if it fails or the process ends early.
/// Call it before any file is written. `before`: what was reported until then. Errors: those of the
/// work; `usage` and those of nnef::check_destination for a report.
ExitCode run_with_reports(const CLI::App& command, const ReportOptions& options, const Run& run,
                          const std::vector<Diagnostic>& before);

}  // namespace t2n::cli
