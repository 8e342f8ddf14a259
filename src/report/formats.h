// SPDX-License-Identifier: Apache-2.0
// A report in each of its formats.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "src/report/command_report.h"
#include "src/report/source_files.h"

namespace t2n::report {

enum class Format { json, markdown, html, sarif };

/// By the suffix of a path: .json, .md, .html or .sarif; "-" is JSON. Errors: `usage`.
Format format_of(const std::string& path);

class ReportTexts {
 public:
  ReportTexts(const CommandReport& report, const SourceFiles& sources);
  ~ReportTexts();
  ReportTexts(const ReportTexts&) = delete;
  ReportTexts& operator=(const ReportTexts&) = delete;

  std::string text(Format format) const;
  /// Workflow commands of GitHub.
  std::string github() const;

 private:
  const CommandReport& report_;
  const SourceFiles& sources_;
  std::unique_ptr<nlohmann::ordered_json> data_;
};

}  // namespace t2n::report
