// SPDX-License-Identifier: Apache-2.0
// What a command did, as data: `t2nnef.report/1`, which docs/report.schema.json describes. Later
// versions only add fields.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "src/diag/error.h"
#include "src/diag/sink.h"
#include "src/diag/steps.h"

namespace t2n::report {

/// Filled while the command works, so that the report of a failure has what is known by then.
struct CommandReport {
  explicit CommandReport(std::string command);
  ~CommandReport();
  CommandReport(const CommandReport&) = delete;
  CommandReport& operator=(const CommandReport&) = delete;

  /// Sets the code, and adds the error's diagnostics. The first error stays.
  void fail(const Error& error);
  /// A field of this command: "check", "operators".
  nlohmann::ordered_json& operator[](const char* field);
  /// Sets a text, at a JSON pointer: "/model/file".
  void set(const char* pointer, const std::string& text);

  std::string command;           ///< "export"
  std::string torch_version;     ///< of the loaded LibTorch; "" if it was not loaded
  ExitCode code = ExitCode::ok;  ///< so far
  DiagnosticList diagnostics;    ///< warnings, notes and errors
  std::vector<Step> steps;       ///< those that have ended
  double seconds = 0;
  std::vector<std::string> paths;        ///< of the command's reports
  std::vector<std::string> files;        ///< what it wrote: files and folders
  std::function<std::string()> picture;  ///< of the model, as HTML; empty for none

 private:
  friend nlohmann::ordered_json report_data(const CommandReport& report);
  std::unique_ptr<nlohmann::ordered_json> fields_;
};

/// The whole report. Files have checksums if nnef::keep_checksums() was called before.
nlohmann::ordered_json report_data(const CommandReport& report);

/// The report as JSON text, with JSON's escapes; infinite numbers are null.
std::string json_text(const nlohmann::ordered_json& data);
std::string json_text(const CommandReport& report);

/// A place in the user's model; also for fields that commands add.
nlohmann::ordered_json where_json(const Where& where);

}  // namespace t2n::report
