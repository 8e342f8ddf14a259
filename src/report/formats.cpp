// SPDX-License-Identifier: Apache-2.0
#include "src/report/formats.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "src/diag/printable.h"
#include "src/report/annotations.h"
#include "src/report/page.h"

namespace t2n::report {
namespace {

/// The picture of the model, or "" if there is none.
std::string picture_page(const CommandReport& report) {
  // After a file that cannot be read, or a lack of memory, another attempt would fail as well.
  if (report.code == ExitCode::unreadable || report.code == ExitCode::bug) return {};
  try {
    return report.picture ? report.picture() : std::string();
  } catch (const Error&) {
    return {};  // the report says why the model has no graph
  }
}

}  // namespace

Format format_of(const std::string& path) {
  if (path == "-") return Format::json;
  const std::string suffix = std::filesystem::path(path).extension().string();
  if (suffix == ".json") return Format::json;
  if (suffix == ".md") return Format::markdown;
  if (suffix == ".html") return Format::html;
  if (suffix == ".sarif") return Format::sarif;
  throw Error("usage", cat("no report has the suffix of ", quoted(path)), {},
              "the suffix determines the format: .json, .md, .html or .sarif; - is JSON on stdout");
}

ReportTexts::ReportTexts(const CommandReport& report, const SourceFiles& sources)
    : report_(report),
      sources_(sources),
      data_(std::make_unique<nlohmann::ordered_json>(report_data(report))) {}

ReportTexts::~ReportTexts() = default;

std::string ReportTexts::text(Format format) const {
  switch (format) {
    case Format::json: return json_text(*data_);
    case Format::markdown: return printable(markdown(page_of(*data_)));
    case Format::html: return printable(html(page_of(*data_), picture_page(report_)));
    case Format::sarif: return sarif(*data_, sources_);
  }
  internal_error(__FILE__, __LINE__, "no such format");
}

std::string ReportTexts::github() const { return github_commands(*data_, sources_); }

}  // namespace t2n::report
