// SPDX-License-Identifier: Apache-2.0
// One function per JSON object.
#include "src/export/report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "src/diag/error.h"
#include "src/export/report_compression.h"
#include "src/export/report_localisation.h"
#include "src/export/report_parts.h"

namespace t2n {
namespace {

using Json = nlohmann::ordered_json;

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
  if (result.localisation) out["localisation"] = localisation_json(*result.localisation);
  return out;
}

void add_result(Json& out, const ExportOptions& options, const ExportResult& result) {
  out["method"] = result.method;
  out["model"] = model_json(result.model, options.model);
  out["inputs"] = ports_json(result.inputs, "from");
  out["outputs"] = ports_json(result.outputs, "feeds");
  out["constant_inputs"] = result.constant_inputs;
  out["pruned_inputs"] = result.pruned_inputs;
  out["operations"] = result.operations;
  out["operators"] = operators_json(result.operators);
  out["artifact"] = {{"path", result.path}, {"bytes", result.bytes}};
  out["needs"] = result.needs;
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

}  // namespace

void add_check(report::CommandReport& report, const CheckExistingOptions& options,
               const CheckedExisting& checked) {
  report["model"] = model_json(checked.model, options.model);
  report["check"] = comparison_json(options.check, checked.result.checked);
}

void add_export(report::CommandReport& report, const std::vector<ExportOptions>& methods,
                const std::vector<ExportResult>& results) {
  const ExportOptions& first = methods.front();
  report["target"] = target::target_name(first.target);
  if (first.dry_run) report["dry_run"] = true;
  report["model"] = {{"file", first.model}};
  Json rows = Json::array();
  for (const ExportOptions& options : methods) {
    Json row = {{"method", options.method}};
    const auto result = std::find_if(results.begin(), results.end(), [&](const ExportResult& each) {
      return each.method == options.method;
    });
    if (result != results.end()) add_result(row, options, *result);
    rows.push_back(std::move(row));
  }
  if (methods.size() > 1)
    report["methods"] = std::move(rows);
  else
    for (const auto& [key, value] : rows.front().items()) report[key.c_str()] = value;
}

}  // namespace t2n
