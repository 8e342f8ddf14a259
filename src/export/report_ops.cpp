// SPDX-License-Identifier: Apache-2.0
#include "src/export/report_ops.h"

#include <nlohmann/json.hpp>

namespace t2n {

using Json = nlohmann::ordered_json;

void add_operators(report::CommandReport& report, const std::vector<SupportedOperator>& operators) {
  Json& out = report["operators"] = Json::array();
  for (const SupportedOperator& each : operators)
    out.push_back(
        {{"name", each.name}, {"written_as", each.written_as}, {"meaning", each.meaning}});
}

void add_used(report::CommandReport& report, const std::vector<UsedOperator>& operators) {
  Json& out = report["operators"] = Json::array();
  for (const UsedOperator& each : operators)
    out.push_back({{"name", each.name},
                   {"uses", each.count},
                   {"supported", each.support},
                   {"where", report::where_json(each.first)}});
}

}  // namespace t2n
