// SPDX-License-Identifier: Apache-2.0
#include "src/export/report_opt.h"

#include <nlohmann/json.hpp>

#include "src/export/graph_file.h"

namespace t2n {
namespace {

using Json = nlohmann::ordered_json;

Json step_output_json(const StepOutput& output) {
  return {{"name", output.name},
          {"max_abs", output.comparison.max_abs},
          {"max_rel", output.comparison.max_rel},
          {"inputs", output.set}};
}

Json pass_json(const PassStep& step) {
  Json outputs = Json::array();
  for (const StepOutput& output : step.outputs) outputs.push_back(step_output_json(output));
  return {{"name", step.pass.name},
          {"changed", step.changed},
          {"seconds", step.seconds},
          {"outputs", outputs},
          {"not_run", step.unknown.empty() ? Json() : Json(step.unknown)},
          {"fault", step.fault ? Json(*step.fault) : Json()}};
}

}  // namespace

void add_opt(report::CommandReport& report, const OptOptions& options, const OptResult& result) {
  Json& passes = report["passes"] = Json::array();
  for (const PassStep& step : result.steps.steps) passes.push_back(pass_json(step));
  report["operations"] = result.graph.nodes.size();
  if (options.verifies || options.bisects) report["input_sets"] = result.steps.sets;
  report.files.push_back(result.path);
  if (result.weights > 0) report.files.push_back(weights_path(options.model.output).string());
}

}  // namespace t2n
