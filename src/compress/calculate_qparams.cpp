// The pass `calculate-qparams` computes scales and zero points from what observers have seen, or
// from the observed constant or constant expression.
#include <algorithm>

#include "src/compress/calibrate.h"
#include "src/compress/grid.h"
#include "src/compress/layer_table.h"
#include "src/compress/moments.h"
#include "src/compress/observe.h"
#include "src/compress/statistics.h"
#include "src/passes/known.h"
#include "src/passes/pass.h"

namespace t2n::compress {
namespace {

/// The values of each channel.
std::vector<std::vector<double>> channels_of(const ir::Tensor& tensor, std::optional<int> axis) {
  const std::vector<double> values = ir::to_f64(tensor);
  if (!axis) return {values};
  const auto along = static_cast<size_t>(*axis);
  const auto count = static_cast<size_t>(tensor.shape.at(along));
  size_t inner = 1;
  for (size_t i = along + 1; i < tensor.shape.size(); ++i)
    inner *= static_cast<size_t>(tensor.shape[i]);
  std::vector<std::vector<double>> out(count);
  for (size_t i = 0; i < values.size(); ++i) out[i / inner % count].push_back(values[i]);
  return out;
}

std::vector<Range> ranges_of(const Observation& of, const ir::Tensor& constant) {
  Observation whole = of;
  if (of.least_squares) whole.grid.observer = Observer::min_max;  // where the search begins
  Statistics statistics(whole);
  statistics.see(constant);
  std::vector<Range> out = statistics.ranges();
  if (!of.least_squares) return out;
  const auto channels = channels_of(constant, of.axis);
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = least_squares_range(channels[i], out[i], of.grid);
  return out;
}

/// True if the operation now has its grid.
bool calculate(Observation& of, const ir::Tensor* constant) {
  if (!of.scale.empty()) return false;
  std::vector<Range> ranges;
  if (!of.low.empty())
    for (size_t i = 0; i < of.low.size(); ++i) ranges.push_back({of.low[i], of.high.at(i)});
  else if (constant != nullptr && passes::is_loaded(*constant) && constant->elements() > 0)
    ranges = ranges_of(of, *constant);
  for (const Range& range : ranges) {
    const Scale scale = scale_for(range, of.grid);
    of.scale.push_back(scale.scale);
    of.zero_point.push_back(scale.zero_point);
  }
  return !ranges.empty();
}

}  // namespace
}  // namespace t2n::compress

bool t2n::passes::calculate_qparams(ir::Graph& graph, const PassContext& context) {
  // The same run collects what rounding needs.
  const bool lacks_moments =
      context.settings != nullptr && compress::lacks_moments(graph, *context.settings);
  if (context.calibrate && (lacks_moments || compress::needs_calibration(graph)))
    context.calibrate(graph);
  const std::vector<int> constants = ir::constant_index(graph);
  const std::vector<bool> known = compress::known_values(graph);
  const compress::LayerTable table(graph, context.evaluate);
  bool changed = false;
  for (ir::Node& node : graph.nodes) {
    if (!compress::is_observe(node)) continue;
    compress::Observation of = compress::read_observation(node);
    const auto at = static_cast<size_t>(of.self);
    // A pruned weight is computed until it is folded.
    const bool is_at_hand = known[at] && (constants[at] >= 0 || context.evaluate);
    const auto constant = is_at_hand ? table.value(of.self) : std::nullopt;
    if (!compress::calculate(of, constant ? &*constant : nullptr)) continue;
    node.args = compress::observation_arguments(of);
    changed = true;
  }
  return changed;
}
