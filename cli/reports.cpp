// SPDX-License-Identifier: Apache-2.0
#include "cli/reports.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <span>

#include "cli/early_end.h"
#include "cli/screen/console.h"
#include "cli/system_errors.h"
#include "nnef_writer/checksums.h"
#include "nnef_writer/output.h"
#include "src/limits/watch.h"
#include "src/model/torch_module.h"
#include "src/report/formats.h"

namespace t2n::cli {
namespace {

namespace fs = std::filesystem;

struct ReportFile {
  report::Format format;
  nnef::Destination destination;
};

bool is_model(const CLI::Option& option) {
  return option.get_positional() && option.get_name(true).starts_with("MODEL");
}

/// The paths in options and arguments of a command: "x.npy" in "x=@x.npy", too.
std::vector<nnef::Taken> paths_on_command_line(const CLI::App& command) {
  std::vector<nnef::Taken> out;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& value : option->results()) {
      if (option->check_lname("report")) continue;
      const std::string path = value.substr(value.find('@') + 1);
      std::error_code ignored;
      if (option->check_lname("output") || fs::exists(path, ignored))
        out.push_back({cat(option->get_name(), " ", quoted(value)), path, is_model(*option)});
    }
  return out;
}

bool writes_to_stdout(const CLI::App& command) {
  const CLI::Option* const output = command.get_option_no_throw("--output");
  if (output == nullptr) return false;
  const std::vector<std::string>& values = output->results();
  return std::find(values.begin(), values.end(), "-") != values.end();
}

std::vector<ReportFile> report_files(const CLI::App& command, const ReportOptions& options) {
  std::vector<ReportFile> out;
  std::vector<nnef::Taken> taken = paths_on_command_line(command);
  for (const std::string& path : options.files) {
    nnef::Destination destination = nnef::file_destination(path);
    destination.taken = taken;
    out.push_back({report::format_of(path), destination});
    nnef::check_destination(destination);
    taken.push_back({"another report", path});
  }
  const auto on_stdout = std::count(options.files.begin(), options.files.end(), "-");
  const auto reports = on_stdout + (options.json ? 1 : 0);
  if (reports > 1)
    throw Error("usage", "two reports cannot both go to standard output", {}, "remove one of them");
  if (reports == 1 && writes_to_stdout(command))
    throw Error("usage", "two outputs cannot both go to standard output", {},
                "write one of them to a file");
  if (on_stdout > 0) use_stdout_for(StdoutUse::output);
  if (options.json) {
    use_stdout_for(StdoutUse::report);
    out.push_back({report::Format::json, nnef::file_destination("-")});
  }
  return out;
}

bool wants_annotations(const ReportOptions& options) {
  if (!options.format.empty() && options.format != "text" && options.format != "github")
    throw Error("usage", cat("--format ", quoted(options.format), " is not known"), {},
                "--format github annotates Python lines in a workflow; text is the default");
  return options.format == "github";
}

void write_report(const ReportFile& file, const std::string& text) {
  nnef::write_file(file.destination,
                   [&](nnef::FileWriter& writer) { writer.write(std::as_bytes(std::span(text))); });
}

/// Everything that is needed to write reports; made before a model confines the process.
class Reports {
 public:
  Reports(const CLI::App& command, const ReportOptions& options)
      : annotates_(wants_annotations(options)), files_(report_files(command, options)) {
    if (!any()) return;
    nnef::keep_checksums();
    sources_.emplace();
  }

  bool any() const { return !files_.empty() || annotates_; }

  void write(const CommandReport& report) const {
    if (!any()) return;
    const report::ReportTexts texts(report, *sources_);
    if (annotates_) annotate(texts.github());
    for (const ReportFile& file : files_) write_report(file, texts.text(file.format));
  }

 private:
  /// To stdout, where a workflow's runner reads them, unless it is for an output.
  static void annotate(const std::string& text) {
    std::fputs(text.c_str(), stdout_use() == StdoutUse::text ? stdout : stderr);
  }

  bool annotates_;
  std::vector<ReportFile> files_;
  std::optional<report::SourceFiles> sources_;
};

/// The report of a failure must not hide the failure.
void write_after_failure(const Reports& reports, const CommandReport& report) {
  try {
    reports.write(report);
  } catch (const Error& error) {
    print_message(error.what());
  }
}

}  // namespace

void add_report_options(CLI::App& command, ReportOptions& options) {
  command
      .add_option("--report", options.files,
                  "Write a report, also of a failure: r.json\n"
                  "Repeatable. By suffix: .json, .md, .html or .sarif; - is JSON on stdout.")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command.add_flag("--json", options.json, "Print the report as JSON, and no other results");
  command
      .add_option("--format", options.format,
                  "text, or github: annotate Python lines [text]\n"
                  "In a GitHub workflow, each message is shown at its line.")
      ->type_name("FORMAT");
}

ExitCode run_with_reports(const CLI::App& command, const ReportOptions& options, const Run& run,
                          const std::vector<Diagnostic>& before) {
  CommandReport report(command.get_name());
  const Reports reports(command, options);
  report.paths = options.files;
  for (const Diagnostic& each : before) report.diagnostics.report()(each);
  const auto began = std::chrono::steady_clock::now();
  const auto stop = [&] {
    report.torch_version = version_if_loaded();
    report.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  };
  const auto write_failure = [&](const Error& error) {
    stop();
    report.fail(error);
    write_after_failure(reports, report);
  };
  std::optional<EarlyEnd> early_end;
  const auto begin_reports = [&] {
    limits::end_time_limit();  // else the exit code could contradict a report
    early_end.reset();
  };
  if (reports.any()) early_end.emplace(write_failure);
  try {
    report.code = run(report);
  } catch (...) {
    begin_reports();
    const Error error = current_error();
    write_failure(error);
    throw Error(error);
  }
  begin_reports();
  stop();
  reports.write(report);
  return report.code;
}

}  // namespace t2n::cli
