// SPDX-License-Identifier: Apache-2.0
// The pass `calculate-qparams` computes scales and zero points from the ranges that observers
// recorded, or from the observed constant or constant expression.
#include <algorithm>

#include "ir/elements.h"
#include "src/compress/calibrate/calibrate.h"
#include "src/compress/calibrate/moments.h"
#include "src/compress/calibrate/observe.h"
#include "src/compress/calibrate/ranges.h"
#include "src/compress/calibrate/statistics.h"
#include "src/compress/layer_table.h"
#include "src/compress/passes.h"
#include "src/passes/known.h"

namespace t2n::compress {
namespace {

/// The values of each channel.
std::vector<std::vector<double>> channels_of(const ir::Tensor& tensor, std::optional<int> axis) {
  const std::vector<double> values = ir::to_f64(tensor);
  if (!axis) return {values};
  const size_t along = *axis;
  const size_t count = tensor.shape.at(along);
  const size_t inner = ir::inner_size(tensor.shape, along);
  std::vector<std::vector<double>> out(count);
  for (size_t i = 0; i < values.size(); ++i) out[i / inner % count].push_back(values[i]);
  return out;
}

std::vector<Range> ranges_of(const Observation& observation, const ir::Tensor& constant) {
  Observation initial = observation;
  if (observation.least_squares)
    initial.scheme.observer = Observer::min_max;  // the search's initial range
  Statistics statistics(initial);
  statistics.see(constant);
  std::vector<Range> out = statistics.ranges();
  if (!observation.least_squares) return out;
  const auto channels = channels_of(constant, observation.axis);
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = least_squares_range(channels[i], out[i], observation.scheme);
  return out;
}

/// True if scales and zero points were computed.
bool calculate(Observation& observation, const ir::Tensor* constant) {
  if (!observation.scale.empty()) return false;
  std::vector<Range> ranges;
  if (!observation.low.empty())
    for (size_t i = 0; i < observation.low.size(); ++i)
      ranges.push_back({observation.low[i], observation.high.at(i)});
  else if (constant != nullptr && constant->is_loaded() && constant->elements() > 0)
    ranges = ranges_of(observation, *constant);
  for (const Range& range : ranges) {
    const Scale scale = scale_for(range, observation.scheme);
    observation.scale.push_back(scale.scale);
    observation.zero_point.push_back(scale.zero_point);
  }
  return !ranges.empty();
}

}  // namespace
}  // namespace t2n::compress

bool t2n::compress::calculate_qparams(ir::Graph& graph, const passes::PassContext& context) {
  // The same run collects what rounding needs.
  const bool lacks_moments =
      context.settings != nullptr && compress::lacks_moments(graph, *context.settings);
  if (context.calibrate && (lacks_moments || compress::needs_calibration(graph)))
    context.calibrate(graph);
  const std::vector<int> constants = ir::constant_index(graph);
  const std::vector<bool> known = passes::known_values(graph);
  const compress::LayerTable table(graph, context.evaluate);
  bool changed = false;
  for (ir::Node& node : graph.nodes) {
    if (!compress::is_observe(node)) continue;
    compress::Observation observation = compress::read_observation(node);
    const size_t index = observation.self;
    // A pruned weight is computed until it is folded.
    const bool is_available = known[index] && (constants[index] >= 0 || context.evaluate);
    const auto constant = is_available ? table.value(observation.self) : std::nullopt;
    if (!compress::calculate(observation, constant ? &*constant : nullptr)) continue;
    node.args = compress::observation_arguments(observation);
    changed = true;
  }
  return changed;
}
