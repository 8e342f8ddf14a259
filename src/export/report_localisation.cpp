// SPDX-License-Identifier: Apache-2.0
// One function per JSON object.
#include "src/export/report_localisation.h"

#include <nlohmann/json.hpp>

#include "src/report/command_report.h"

namespace t2n {
namespace {

using Json = nlohmann::ordered_json;

Json location_json(const StatementLocation& location) {
  return {{"tensor", location.tensor},
          {"operation", location.operation},
          {"line", location.line > 0 ? Json(location.line) : Json()},
          {"operator", location.op},
          {"where", report::where_json(location.where)}};
}

Json statistics_json(const TensorStatistics& all) {
  return {{"min", all.min}, {"max", all.max}, {"mean", all.mean}, {"not_finite", all.not_finite}};
}

Json tensor_json(const TensorDifference& found) {
  Json out = location_json(found.location);
  out["shape"] = found.shape;
  out["actual"] = statistics_json(found.actual);
  if (!found.is_known) return out;
  out["expected_shape"] = found.expected_shape;
  out["expected"] = statistics_json(found.expected);
  out["differing"] = found.differing;
  out["worst"] = {
      {"index", found.worst}, {"expected", found.worst_expected}, {"actual", found.worst_actual}};
  return out;
}

}  // namespace

Json localisation_json(const Localisation& found) {
  Json out = {{"engine", found.engine},
              {"inputs", found.inputs},
              {"reference", found.reference},
              {"tensors", found.tensors},
              {"tensors_not_compared", found.not_compared},
              {"first", Json::array()},
              {"file", Json::array()},
              {"more_in_file", found.more_in_file}};
  for (const TensorDifference& each : found.first) out["first"].push_back(tensor_json(each));
  for (const FileDifference& each : found.file) {
    Json row = location_json(each.location);
    row["difference"] = each.text;
    out["file"].push_back(std::move(row));
  }
  if (!found.note.empty()) out["note"] = found.note;
  if (found.table.empty()) return out;
  Json& rows = out["table"] = Json::array();
  for (const TensorRow& each : found.table) {
    Json row = location_json(each.location);
    row["distance"] = each.distance ? Json(*each.distance) : Json();
    row["differs"] = each.is_wrong;
    rows.push_back(std::move(row));
  }
  return out;
}

}  // namespace t2n
