// SPDX-License-Identifier: Apache-2.0
#include "cli/report_pictures.h"

#include <filesystem>

#include "src/diag/error.h"
#include "src/export/model_picture.h"
#include "src/nnef/artefact.h"
#include "src/picture/colors.h"
#include "src/picture/formats.h"
#include "src/picture/from_artefact.h"

namespace t2n::cli {
namespace {

std::string colored_html(picture::Picture picture, const report::CommandReport& report) {
  try {
    picture::color(picture, picture::read_colors(report::json_text(report), "the report"));
  } catch (const Error&) {
    // It has no values to colour by.
  }
  return picture::html(picture);
}

}  // namespace

std::string artefact_picture(const std::string& path, const report::CommandReport& report) {
  const std::string title = std::filesystem::path(path).filename().string();
  return colored_html(picture::from_artefact(nnef::read_artefact(path), title), report);
}

std::string traced_picture(const ExportOptions& options, const report::CommandReport& report) {
  ExportOptions silent = options;
  silent.report = {};
  silent.progress = {};
  silent.debug_bundle = nullptr;
  return colored_html(model_picture(silent), report);
}

}  // namespace t2n::cli
