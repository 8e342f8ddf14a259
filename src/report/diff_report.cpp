// SPDX-License-Identifier: Apache-2.0
// Writes the fields of a Difference, without empty ones.
#include "src/report/diff_report.h"

#include <nlohmann/json.hpp>

#include "src/diag/error.h"

namespace t2n::report {
namespace {

using Json = nlohmann::ordered_json;

std::string_view kind_name(diff::Difference::Kind kind) {
  switch (kind) {
    case diff::Difference::Kind::removed: return "removed";
    case diff::Difference::Kind::added: return "added";
    case diff::Difference::Kind::changed: return "changed";
  }
  internal_error(__FILE__, __LINE__, "no such kind");
}

Json difference_json(const diff::Difference& difference) {
  Json out = {{"part", diff::part_name(difference.part)},
              {"kind", kind_name(difference.kind)},
              {"name", difference.subject}};
  if (!difference.operation.empty()) out["operation"] = difference.operation;
  if (!difference.aspect.empty()) out["aspect"] = difference.aspect;
  if (!difference.before.empty()) out["a"] = difference.before;
  if (!difference.after.empty()) out["b"] = difference.after;
  if (difference.max_abs) out["max_abs"] = *difference.max_abs;
  return out;
}

}  // namespace

void add_diff(CommandReport& report, const std::string& a, const std::string& b,
              const diff::Result& result) {
  report["a"] = a;
  report["b"] = b;
  report["equal"] = result.equal();
  report["common"] = {{"operations", result.operations}, {"weights", result.weights}};
  Json& differences = report["differences"] = Json::array();
  for (const diff::Difference& difference : result.differences)
    differences.push_back(difference_json(difference));
}

}  // namespace t2n::report
