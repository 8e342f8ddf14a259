// SPDX-License-Identifier: Apache-2.0
// Which parts of a report are tables, and of which columns.
#include "src/report/page.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <span>

#include "src/diag/error.h"
#include "src/diag/printable.h"

namespace t2n::report {
namespace {

using Json = nlohmann::ordered_json;
using Pointer = Json::json_pointer;

struct Column {
  const char* key = nullptr;  ///< a JSON pointer in the row
  const char* title = nullptr;
};

struct Table {
  const char* at;  ///< a JSON pointer to a list of objects
  const char* title;
  std::array<Column, 9> columns;  ///< the last ones are empty
};

constexpr std::array<Table, 16> kTables = {
    {{"/check/outputs",
      "Comparison",
      {{{"/name", "output"},
        {"/dtype", "dtype"},
        {"/shape", "shape"},
        {"/max_abs", "max |Δ|"},
        {"/max_rel", "max |Δ| / |x|"},
        {"/ulp_p99", "ULP p99"},
        {"/snr_db", "SNR dB"},
        {"/inputs", "worst on"},
        {"/verdict", "verdict"}}}},
     {"/check/localisation/first",
      "First tensors that differ",
      {{{"/tensor", "tensor"},
        {"/operation", "operation"},
        {"/line", "line of graph.nnef"},
        {"/operator", "operator"},
        {"/where/module", "module"},
        {"/worst/expected", "expected"},
        {"/worst/actual", "actual"}}}},
     {"/check/localisation/file",
      "What the file has differently from an export",
      {{{"/tensor", "tensor"},
        {"/operation", "operation"},
        {"/line", "line of graph.nnef"},
        {"/where/module", "module"},
        {"/difference", "difference"}}}},
     {"/check/localisation/table",
      "All tensors",
      {{{"/tensor", "tensor"},
        {"/operation", "operation"},
        {"/where/module", "module"},
        {"/distance", "relative distance"},
        {"/differs", "differs"}}}},
     {"/inputs",
      "Inputs",
      {{{"/name", "name"},
        {"/dtype", "dtype"},
        {"/shape", "shape"},
        {"/role", "role"},
        {"/from", "fed by"}}}},
     {"/outputs",
      "Outputs",
      {{{"/name", "name"},
        {"/dtype", "dtype"},
        {"/shape", "shape"},
        {"/min", "min"},
        {"/max", "max"},
        {"/mean", "mean"},
        {"/feeds", "feeds"}}}},
     {"/operators",
      "Operators",
      {{{"/name", "operator"},
        {"/uses", "uses"},
        {"/supported", "supported"},
        {"/written_as", "written as"},
        {"/meaning", "meaning"},
        {"/where/module", "first in"}}}},
     {"/compression/layers",
      "Compressed layers",
      {{{"/module", "module"},
        {"/format", "format"},
        {"/bytes_before", "bytes before"},
        {"/bytes_after", "after"},
        {"/weights_snr_db", "weights, SNR dB"},
        {"/results_snr_db", "results, SNR dB"}}}},
     {"/compression/outputs",
      "Loss by compression",
      {{{"/name", "output"},
        {"/snr_db", "SNR dB"},
        {"/cosine", "cosine"},
        {"/same_top1", "same class"},
        {"/rows", "of rows"}}}},
     {"/passes",
      "Passes",
      {{{"/name", "pass"},
        {"/changed", "changed the graph"},
        {"/seconds", "seconds"},
        {"/fault", "fault"}}}},
     {"/artifact/operations", "Operations", {{{"/name", "operation"}, {"/uses", "uses"}}}},
     {"/artifact/weights",
      "Weights",
      {{{"/item", "format"}, {"/tensors", "tensors"}, {"/values", "values"}, {"/bytes", "bytes"}}}},
     {"/differences",
      "Differences",
      {{{"/part", "part"},
        {"/kind", "kind"},
        {"/name", "name"},
        {"/operation", "operation"},
        {"/aspect", "aspect"},
        {"/a", "A"},
        {"/b", "B"},
        {"/max_abs", "max |Δ|"}}}},
     {"/artifacts",
      "Times",
      {{{"/path", "artefact"},
        {"/load_seconds/median", "load, s"},
        {"/run_seconds/median", "run, s"},
        {"/run_seconds/p25", "p25"},
        {"/run_seconds/p75", "p75"},
        {"/run_seconds/count", "runs"}}}},
     {"/files", "Files", {{{"/path", "file"}, {"/bytes", "bytes"}, {"/sha256", "SHA-256"}}}},
     {"/stages",
      "Steps",
      {{{"/name", "step"},
        {"/seconds", "seconds"},
        {"/counts", "counts"},
        {"/result", "result"}}}}}};

/// The summary: values at these places, if they exist.
constexpr std::array<Column, 16> kSummary = {{{"/model/file", "model"},
                                              {"/model/kind", "kind"},
                                              {"/model/class", "class"},
                                              {"/model/parameters", "parameters"},
                                              {"/target", "target"},
                                              {"/artifact/path", "artefact"},
                                              {"/artifact/bytes", "bytes"},
                                              {"/needs", "needs"},
                                              {"/a", "A"},
                                              {"/b", "B"},
                                              {"/check/engine", "engine"},
                                              {"/engine", "engine"},
                                              {"/check/tolerance", "tolerance"},
                                              {"/check/input_sets", "input sets"},
                                              {"/tool/version", "t2nnef"},
                                              {"/seconds", "seconds"}}};

/// A list is "a, b", of numbers "[1,3]"; an object "70 operation, 3 output".
std::string text_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_number_float()) return number_text("%.4g", value.get<double>());
  if (value.is_null()) return "–";
  std::vector<std::string> parts;
  if (value.is_object())
    for (const auto& [key, each] : value.items()) parts.push_back(cat(text_of(each), " ", key));
  if (!value.is_array()) return value.is_object() ? joined(parts, ", ") : value.dump();
  for (const Json& each : value) parts.push_back(text_of(each));
  const bool is_text = !value.empty() && value.front().is_string() &&
                       parts.front().find_first_of("0123456789") == std::string::npos;
  return is_text ? joined(parts, ", ") : cat("[", joined(parts, ","), "]");
}

Tone tone_of(const std::string& key, const Json& value) {
  if (key == "/fault" && value.is_string()) return Tone::bad;
  if (key == "/differs" && value == true) return Tone::bad;
  if (key == "/supported") return value == "yes" ? Tone::good : Tone::bad;
  if (key != "/verdict") return Tone::plain;
  return value == "ok" ? Tone::good : value == "DIFFERS" ? Tone::bad : Tone::warning;
}

const Json* find(const Json& data, const char* at) {
  const Pointer pointer(at);
  return data.contains(pointer) ? &data.at(pointer) : nullptr;
}

/// Columns that no row has are left out.
Section section_of(const Table& table, const Json& rows) {
  Section out{.title = table.title};
  std::vector<Column> columns;
  for (const Column& column : table.columns) {
    if (column.key == nullptr) break;
    const bool is_known = std::any_of(rows.begin(), rows.end(), [&](const Json& row) {
      const Json* const value = find(row, column.key);
      return value != nullptr && !value->is_null();
    });
    if (is_known) columns.push_back(column);
  }
  for (const Column& column : columns) out.columns.emplace_back(column.title);
  for (const Json& row : rows) {
    Row& cells = out.rows.emplace_back();
    for (const Column& column : columns) {
      const Json* const value = find(row, column.key);
      cells.push_back(value == nullptr ? Cell()
                                       : Cell{text_of(*value), tone_of(column.key, *value)});
    }
  }
  return out;
}

Section summary_of(const Json& data) {
  Section out{.title = "Summary"};
  for (const Column& each : kSummary)
    if (const Json* value = find(data, each.key);
        value != nullptr && !value->is_null() && !(value->is_array() && value->empty()))
      out.rows.push_back({{each.title}, {text_of(*value)}});
  return out;
}

std::string location_text(const Json& where) {
  std::string out = where.value("module", "");
  if (const std::string name = where.value("class", ""); !name.empty())
    out = cat(out.empty() ? "the model" : out, " (", name, ")");
  for (const Json& frame : where.at("frames"))
    out += cat(out.empty() ? "" : ", ", frame.value("file", ""), ":", frame.value("line", 0));
  const std::string excerpt = where.value("excerpt", "");
  return excerpt.empty() ? out : cat(out, out.empty() ? "" : ": ", excerpt);
}

void add_locations(const Json& owner, std::vector<std::string>& lines) {
  for (const Json& where : owner.at("where"))
    if (std::string text = location_text(where); !text.empty())
      lines.push_back("at " + std::move(text));
}

void add_reasons(const Json& owner, std::vector<std::string>& lines) {
  for (const char* const key : {"why", "help"})
    if (const std::string text = owner.value(key, ""); !text.empty())
      lines.push_back(cat(key, ": ", text));
}

Note note_of(const Json& diagnostic) {
  const std::string severity = diagnostic.at("severity");
  Note out{.tone = severity == "error"     ? Tone::bad
                   : severity == "warning" ? Tone::warning
                                           : Tone::plain,
           .headline = cat(severity, "[", text_of(diagnostic.at("id")),
                           "]: ", text_of(diagnostic.at("message"))),
           .lines = {}};
  for (const Json& line : diagnostic.at("details")) out.lines.push_back(text_of(line));
  const Json* const uses = find(diagnostic, "/uses");
  if (uses == nullptr) add_locations(diagnostic, out.lines);
  for (const Json& use : uses == nullptr ? Json::array() : *uses) {
    const int count = use.value("count", 0);
    out.lines.push_back(cat(use.value("what", ""), count > 0 ? cat(", ", count, "×") : ""));
    add_locations(use, out.lines);
    add_reasons(use, out.lines);
  }
  add_reasons(diagnostic, out.lines);
  return out;
}

/// Errors first.
Section diagnostics_of(const Json& data) {
  Section out{.title = "Messages"};
  for (const Tone tone : {Tone::bad, Tone::warning, Tone::plain})
    for (const Json& diagnostic : data.at("diagnostics"))
      if (Note note = note_of(diagnostic); note.tone == tone) out.notes.push_back(std::move(note));
  return out;
}

void add_tables(const Json& data, const std::string& prefix, Page& page) {
  for (const Table& table : kTables)
    if (const Json* rows = find(data, table.at); rows != nullptr && !rows->empty())
      if (Section section = section_of(table, *rows); !section.columns.empty()) {
        section.title = prefix + section.title;
        page.sections.push_back(std::move(section));
      }
}

std::string subject_of(const Json& data) {
  for (const char* const at : {"/model/file", "/artifact/path", "/a"})
    if (const Json* value = find(data, at)) return ": " + text_of(*value);
  return {};
}

}  // namespace

Page page_of(const Json& data) {
  const bool is_ok = data.at("status") == "ok";
  Page out{
      .title = cat("t2nnef ", text_of(data.at("command")), subject_of(data)),
      .status = {cat(text_of(data.at("status")), ", exit code ", text_of(data.at("exit_code"))),
                 is_ok ? Tone::good : Tone::bad},
      .sections = {summary_of(data)}};
  if (Section section = diagnostics_of(data); !section.notes.empty())
    out.sections.push_back(std::move(section));
  add_tables(data, "", out);
  for (const Json& method : data.value("methods", Json::array()))
    add_tables(method, text_of(method.at("method")) + ": ", out);
  return out;
}

}  // namespace t2n::report
