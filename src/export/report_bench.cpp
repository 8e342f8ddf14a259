// SPDX-License-Identifier: Apache-2.0
#include "src/export/report_bench.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "src/diag/error.h"

namespace t2n {
namespace {

using Json = nlohmann::ordered_json;

Json spread_json(const Spread& spread) {
  return {{"median", spread.median}, {"p25", spread.quarter}, {"p75", spread.three_quarters},
          {"min", spread.least},     {"max", spread.most},    {"count", spread.count}};
}

Json bench_inputs_json(const BenchedArtefact& artefact) {
  Json out = Json::array();
  for (const nnef::NamedTensor& input : artefact.inputs)
    out.push_back({{"name", input.name},
                   {"dtype", ir::dtype_name(input.value.dtype)},
                   {"shape", input.value.shape}});
  return out;
}

Json totals_json(const std::vector<BenchedOperation>& operations) {
  Json out = Json::array();
  for (const OperationTotal& total : totals_of(operations))
    out.push_back(
        {{"operation", total.operation}, {"uses", total.uses}, {"seconds", total.seconds}});
  return out;
}

Json nodes_json(const std::vector<BenchedOperation>& operations) {
  Json out = Json::array();
  for (const BenchedOperation& each : operations)
    out.push_back({{"operation", each.operation}, {"name", each.name}, {"seconds", each.seconds}});
  return out;
}

Json artefact_json(const BenchedArtefact& artefact) {
  return {{"path", artefact.path},
          {"inputs", bench_inputs_json(artefact)},
          {"load_seconds", spread_json(spread_of(artefact.times.loads))},
          {"run_seconds", spread_json(spread_of(artefact.times.runs))},
          {"operations", totals_json(artefact.operations)},
          {"nodes", nodes_json(artefact.operations)}};
}

}  // namespace

std::vector<BenchedOperation> operations_in(const std::string& profile) {
  std::vector<BenchedOperation> out;
  try {
    const Json document = Json::parse(profile);
    for (const Json& node : document.at("nodes"))
      if (node.contains("secs_per_iter"))  // constants have none
        out.push_back({node.at("op_name").get<std::string>(),
                       node.at("node_name").get<std::string>(),
                       node.at("secs_per_iter").get<double>()});
  } catch (const Json::exception& error) {
    throw Error("engine-failed", "the engine's profile cannot be read", error.what(),
                "--top 0 measures without it");
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
    return a.seconds != b.seconds ? a.seconds > b.seconds : a.name < b.name;
  });
  return out;
}

void add_bench(report::CommandReport& report, const BenchResult& result) {
  Json artefacts = Json::array();
  for (const BenchedArtefact& artefact : result.artefacts)
    artefacts.push_back(artefact_json(artefact));
  report["engine"] = result.engine;
  report["artifacts"] = std::move(artefacts);
  if (result.artefacts.size() == 2) {
    const tract::BenchTimes& a = result.artefacts[0].times;
    const tract::BenchTimes& b = result.artefacts[1].times;
    report["ratios"] = {{"load", spread_json(ratios(a.loads, b.loads))},
                        {"run", spread_json(ratios(a.runs, b.runs))}};
  }
}

}  // namespace t2n
