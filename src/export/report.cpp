// One function per JSON object.
#include "src/export/report.h"

#include <sys/resource.h>

#include <nlohmann/json.hpp>

#include "nnef_writer/output.h"
#include "src/diag/error.h"
#include "src/diag/headline.h"
#include "src/diag/printable.h"
#include "src/export/report_compression.h"
#include "src/export/report_localisation.h"

namespace t2n {
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

Json shape_json(const ir::Shape& shape) {
  Json out = Json::array();
  for (const ir::Dim& dim : ir::as_written(shape))
    out.push_back(dim.is_constant() ? Json(dim.value()) : Json(dim.str()));
  return out;
}

/// `other`: the JSON key for a state's other port: an output comes "from" it, an input "feeds" it.
Json ports_json(const std::vector<Port>& ports, const char* other) {
  Json out = Json::array();
  for (const Port& port : ports) {
    Json row = {{"name", port.name},
                {"dtype", ir::dtype_name(port.dtype)},
                {"shape", shape_json(port.shape)}};
    if (port.is_unused) row["unused"] = true;
    if (!port.state.empty()) {
      row["role"] = "state";
      row["path"] = port.state;
      row[other] = port.other_side;
    }
    out.push_back(std::move(row));
  }
  return out;
}

Json where_json(const Where& where) {
  Json frames = Json::array();
  for (const Frame& frame : where.frames)
    frames.push_back({{"file", frame.file}, {"line", frame.line}, {"column", frame.column}});
  return {{"module", where.module},
          {"class", where.module_class},
          {"frames", frames},
          {"excerpt", where.excerpt}};
}

Json locations_json(const std::vector<Where>& locations) {
  Json out = Json::array();
  for (const Where& where : locations) out.push_back(where_json(where));
  return out;
}

Json diagnostic_json(const Diagnostic& diagnostic) {
  Json uses = Json::array();
  for (const Use& use : diagnostic.uses)
    uses.push_back({{"what", use.what},
                    {"count", use.count},
                    {"where", locations_json(use.where)},
                    {"why", use.why},
                    {"help", use.help}});
  Json out = {{"id", diagnostic.id},
              {"severity", severity_name(diagnostic.severity)},
              {"message", headline(diagnostic)},
              {"where", locations_json(diagnostic.where)},
              {"details", diagnostic.details},
              {"why", diagnostic.why},
              {"help", diagnostic.help}};
  if (!uses.empty()) out["uses"] = std::move(uses);
  return out;
}

Json model_json(const trace::ModelInfo& model, const std::string& file) {
  return {{"file", file},
          {"kind", kind_name(model.kind)},
          {"class", model.class_name},
          {"format_version", model.format_version},
          {"parameters", model.parameters},
          {"parameter_bytes", model.parameter_bytes}};
}

Json relations_json(const std::vector<ir::Comparison>& relations) {
  Json out = Json::array();
  for (const ir::Comparison& relation : relations) out.push_back(ir::str(ir::as_written(relation)));
  return out;
}

Json quanta_json(const std::optional<check::Quanta>& quanta) {
  if (!quanta) return {};
  return {{"step", quanta->step},
          {"most", quanta->most},
          {"elements", quanta->elements},
          {"off_by_one", quanta->off_by_one},
          {"off_by_more", quanta->off_by_more},
          {"between_steps", quanta->between},
          {"at_ties", quanta->at_ties},
          {"of_another_engine", quanta->of_an_engine}};
}

Json row_json(const check::OutputRow& row) {
  const check::Deviation& comparison = row.comparison;
  return {{"name", row.name},
          {"dtype", ir::dtype_name(comparison.dtype)},
          {"shape", comparison.shape},
          {"max_abs", comparison.max_abs},
          {"max_rel", comparison.max_rel},
          {"ulp_p99", comparison.ulp_p99},
          {"snr_db", comparison.snr_db},
          {"outliers", comparison.outliers},
          {"inputs", row.where},
          {"times_torch", row.times_torch ? Json(*row.times_torch) : Json()},
          {"response", row.response ? Json(*row.response) : Json()},
          {"moved", row.moved ? Json(*row.moved) : Json()},
          {"not_finite", comparison.expected_not_finite},
          {"quanta", quanta_json(row.quanta)},
          {"verdict", check::verdict_name(check::verdict(row))}};
}

Json sizes_json(const std::vector<dynamic::Sizes>& all) {
  Json out = Json::array();
  for (const dynamic::Sizes& sizes : all) {
    Json each = Json::object();
    for (const auto& [symbol, size] : sizes) each[symbol.str()] = size;
    out.push_back(std::move(each));
  }
  return out;
}

Json comparison_json(const CheckOptions& options, const CheckResult& result) {
  Json rows = Json::array();
  for (const check::OutputRow& row : result.rows) rows.push_back(row_json(row));
  Json out = {{"engine", result.engine},
              {"tolerance", tolerances_str(options)},
              {"reference", result.reference},
              {"input_sets", result.sets.size()},
              {"input_sets_left_out", result.left_out},
              {"input_sets_refused", result.refused},
              {"input_sets_unstable", result.unstable},
              {"input_sets_engines_disagree", result.engines_disagree},
              {"input_sets_unsettled", result.undecided},
              {"inputs_not_followed", result.without_effect},
              {"outputs", rows}};
  if (!result.sizes.empty()) out["sizes"] = sizes_json(result.sizes);
  if (result.calls > 0)
    out["states"] = {{"calls", result.calls},
                     {"pieces_as_whole", result.equal_in_pieces},
                     {"pieces_unlike_whole", result.unequal_in_pieces}};
  if (result.localisation)
    out["localisation"] = localisation_json(*result.localisation, where_json);
  return out;
}

void add_result(Json& out, const ExportOptions& options, const ExportResult& result) {
  out["method"] = result.method;
  out["model"] = model_json(result.model, options.model);
  out["inputs"] = ports_json(result.inputs, "from");
  out["outputs"] = ports_json(result.outputs, "feeds");
  out["constant_inputs"] = result.constant_inputs;
  out["pruned_inputs"] = result.pruned_inputs;
  out["ops"] = {{"total", result.operations}};
  out["artifact"] = {{"path", result.path}, {"bytes", result.bytes}};
  if (result.shared_bytes > 0) out["artifact"]["shared_bytes"] = result.shared_bytes;
  if (!options.dynamic.axes.empty() || !result.relations.empty())
    out["dynamic"] = {{"relations", relations_json(result.relations)}};
  if (result.floats)
    out["float"] = {{"format", "f16"},
                    {"operations_in_f16", result.floats->in_f16},
                    {"operations_in_f32", result.floats->in_f32}};
  if (result.compression) out["compression"] = compression_json(*result.compression);
  if (options.check) out["check"] = comparison_json(*options.check, result.checked);
}

/// For several methods: one object for each, with the fields of a single method's report.
void add_methods(Json& out, const ExportReport& report) {
  out["model"] = {{"file", report.methods.front().model}};
  Json& rows = out["methods"] = Json::array();
  for (size_t i = 0; i < report.methods.size(); ++i) {
    Json row = {{"method", report.methods[i].method}};
    if (i < report.results.size()) add_result(row, report.methods[i], report.results[i]);
    rows.push_back(std::move(row));
  }
}

/// {"name": "trace", "seconds": 0.1, "counts": {"operation": 70}, "result": "%conv1: …"}
Json stages_json(const std::vector<Step>& steps) {
  Json out = Json::array();
  for (const Step& step : steps) {
    Json counts = Json::object();
    for (const auto& [noun, count] : step.counts) counts[noun] = count;
    out.push_back({{"name", step.name},
                   {"seconds", step.seconds},
                   {"counts", counts},
                   {"result", step.result}});
    if (step.has_failed) out.back()["failed"] = true;
  }
  return out;
}

int64_t peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return int64_t{usage.ru_maxrss} * 1024;
}

}  // namespace

std::string_view kind_name(trace::FileKind kind) {
  switch (kind) {
    case trace::FileKind::traced: return "traced";
    case trace::FileKind::scripted: return "scripted";
    case trace::FileKind::frozen: return "frozen";
    case trace::FileKind::graph: return "graph";
  }
  internal_error(__FILE__, __LINE__, "no such kind of file");
}

std::string check_json(const CheckExistingOptions& options, const CheckedExisting& checked) {
  const Json out = {{"format", "t2nnef.check/1"},
                    {"model", model_json(checked.model, options.model)},
                    {"artifact", {{"path", options.artefact}}},
                    {"check", comparison_json(options.check, checked.result.checked)}};
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string report_json(const ExportReport& report) {
  Json diagnostics = Json::array();
  for (const Diagnostic& diagnostic : report.diagnostics)
    diagnostics.push_back(diagnostic_json(diagnostic));
  Json out = {{"format", "t2nnef.report/1"},
              {"status", report.code == ExitCode::ok ? "ok" : "failed"},
              {"exit_code", static_cast<int>(report.code)},
              {"tool", {{"version", report.tool_version}, {"libtorch", report.torch_version}}},
              {"target", target::target_name(report.methods.front().target)}};
  if (report.methods.front().dry_run) out["dry_run"] = true;
  if (report.methods.size() > 1)
    add_methods(out, report);
  else if (!report.results.empty())
    add_result(out, report.methods.front(), report.results.front());
  else
    out["model"] = {{"file", report.methods.front().model}};
  out["diagnostics"] = diagnostics;
  out["stages"] = stages_json(report.steps);
  out["seconds"] = report.seconds;
  out["peak_rss"] = peak_bytes();
  // A path may not be UTF-8.
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void write_report(const nnef::Destination& destination, const ExportReport& report) {
  const std::string text = printable_json(report_json(report));
  nnef::write_file(destination,
                   [&](nnef::FileWriter& file) { file.write(std::as_bytes(std::span(text))); });
}

}  // namespace t2n
