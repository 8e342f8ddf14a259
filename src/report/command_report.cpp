// SPDX-License-Identifier: Apache-2.0
// One function per JSON object.
#include "src/report/command_report.h"

#include <sys/resource.h>

#include <nlohmann/json.hpp>

#include "nnef_writer/checksums.h"
#include "src/diag/headline.h"
#include "src/diag/printable.h"

namespace t2n::report {
namespace {

using Json = nlohmann::ordered_json;

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::error: return "error";
    case Severity::warning: return "warning";
    case Severity::note: return "note";
  }
  internal_error(__FILE__, __LINE__, "no such severity");
}

Json locations_json(const std::vector<Where>& locations) {
  Json out = Json::array();
  for (const Where& where : locations) out.push_back(where_json(where));
  return out;
}

Json use_json(const Use& use) {
  return {{"what", use.what},
          {"count", use.count},
          {"where", locations_json(use.where)},
          {"why", use.why},
          {"help", use.help}};
}

Json diagnostic_json(const Diagnostic& diagnostic) {
  Json out = {{"id", diagnostic.id},
              {"severity", severity_name(diagnostic.severity)},
              {"message", headline(diagnostic)},
              {"where", locations_json(diagnostic.where)},
              {"details", diagnostic.details},
              {"why", diagnostic.why},
              {"help", diagnostic.help}};
  if (diagnostic.id == "lint") out["rule"] = diagnostic.subject;
  for (const Use& use : diagnostic.uses) out["uses"].push_back(use_json(use));
  return out;
}

/// {"name": "trace", "seconds": 0.1, "counts": {"operation": 70}, "result": "%conv1: …"}
Json stage_json(const Step& step) {
  Json counts = Json::object();
  for (const auto& [noun, count] : step.counts) counts[noun] = count;
  Json out = {
      {"name", step.name}, {"seconds", step.seconds}, {"counts", counts}, {"result", step.result}};
  if (step.has_failed) out["failed"] = true;
  return out;
}

Json files_json(const std::vector<std::string>& paths) {
  Json out = Json::array();
  for (const std::string& path : paths)
    for (const nnef::FileChecksum& file : nnef::checksums_of(path))
      out.push_back({{"path", file.path}, {"bytes", file.bytes}, {"sha256", file.sha256}});
  return out;
}

int64_t peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return int64_t{usage.ru_maxrss} * 1024;
}

}  // namespace

CommandReport::CommandReport(std::string name)
    : command(std::move(name)), fields_(std::make_unique<Json>(Json::object())) {}

CommandReport::~CommandReport() = default;

void CommandReport::fail(const Error& error) {
  if (code != ExitCode::ok) return;
  code = error.code();
  const Report add = diagnostics.report();
  for (const Diagnostic& other : error.others()) add(other);
  add(error.diagnostic());
}

void CommandReport::set(const char* pointer, const std::string& text) {
  (*fields_)[Json::json_pointer(pointer)] = text;
}

Json& CommandReport::operator[](const char* field) { return (*fields_)[field]; }

Json report_data(const CommandReport& report) {
  Json out = {{"format", "t2nnef.report/1"},
              {"command", report.command},
              {"status", report.code == ExitCode::ok ? "ok" : "failed"},
              {"exit_code", static_cast<int>(report.code)},
              {"tool", {{"version", T2NNEF_VERSION}, {"libtorch", report.torch_version}}}};
  out.update(*report.fields_);
  Json& diagnostics = out["diagnostics"] = Json::array();
  for (const Diagnostic& each : report.diagnostics.items)
    diagnostics.push_back(diagnostic_json(each));
  out["files"] = files_json(report.files);
  Json& stages = out["stages"] = Json::array();
  for (const Step& step : report.steps) stages.push_back(stage_json(step));
  out["seconds"] = report.seconds;
  out["peak_rss"] = peak_bytes();
  return out;
}

std::string json_text(const Json& data) {
  // A path may not be UTF-8.
  return printable_json(data.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

std::string json_text(const CommandReport& report) { return json_text(report_data(report)); }

Json where_json(const Where& where) {
  Json frames = Json::array();
  for (const Frame& frame : where.frames)
    frames.push_back({{"file", frame.file}, {"line", frame.line}, {"column", frame.column}});
  return {{"module", where.module},
          {"class", where.module_class},
          {"frames", frames},
          {"excerpt", where.excerpt}};
}

}  // namespace t2n::report
