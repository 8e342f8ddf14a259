// SPDX-License-Identifier: Apache-2.0
#include "src/export/report_run.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace t2n {
namespace {

using Json = nlohmann::ordered_json;

Json run_output_json(const nnef::NamedTensor& output) {
  Json out = {{"name", output.name},
              {"dtype", ir::dtype_name(output.value.dtype)},
              {"shape", output.value.shape}};
  if (const std::optional<ElementStatistics> found = statistics_of(output.value)) {
    out["min"] = found->min;
    out["max"] = found->max;
    out["mean"] = found->mean;
  }
  return out;
}

}  // namespace

std::optional<ElementStatistics> statistics_of(const ir::Tensor& tensor) {
  const std::vector<double> values = ir::to_f64(ir::as_pairs(tensor));
  if (values.empty()) return std::nullopt;
  ElementStatistics out{.min = values[0], .max = values[0]};
  for (const double value : values) {
    out.min = std::isnan(value) || value < out.min ? value : out.min;
    out.max = std::isnan(value) || value > out.max ? value : out.max;
    out.mean += value;
  }
  out.mean /= static_cast<double>(values.size());
  return out;
}

void add_run(report::CommandReport& report, const RunResult& result, int64_t steps) {
  report["engine"] = result.engine;
  report["steps"] = steps;
  Json& states = report["states"] = Json::array();
  for (const spec::State& state : result.states)
    states.push_back({{"input", state.input}, {"output", state.output}});
  Json& outputs = report["outputs"] = Json::array();
  for (const nnef::NamedTensor& output : result.outputs) outputs.push_back(run_output_json(output));
}

}  // namespace t2n
