// SPDX-License-Identifier: Apache-2.0
// Rules about grids that do not fit what they round: the range of activations, channels of weights.
#include <algorithm>
#include <array>
#include <cmath>

#include "ir/elements.h"
#include "src/compress/calibrate/observe.h"
#include "src/compress/explain/lint_graph.h"
#include "src/compress/fake_quant.h"
#include "src/diag/error.h"
#include "src/diag/one_of.h"
#include "src/passes/layers.h"

namespace t2n::compress {
namespace {

/// Operations whose results have both signs.
bool is_two_sided(const LintedGraph& linted, const ir::Node& node) {
  constexpr std::array<std::string_view, 10> kNames = {
      "tanh", "layer_norm", "batch_norm", "group_norm", "instance_norm", "native_layer_norm",
      "gelu", "silu",       "hardswish",  "elu"};
  const bool is_layer = passes::layer_of(linted.graph, node, linted.known).has_value();
  return is_one_of(ir::op_short_name(node.op), kNames) || (is_layer && !passes::is_lookup(node));
}

/// Whether the integers of a quantiser represent no negative number.
bool lacks_negatives(const LintedGraph& linted, const ir::Node& node) {
  const auto is_lowest = [](const std::vector<int64_t>& points, int64_t low) {
    return !points.empty() &&
           std::all_of(points.begin(), points.end(), [&](int64_t point) { return point <= low; });
  };
  const std::vector<int> constants = ir::constant_index(linted.graph);
  if (const auto fake = read_fake_quant(linted.graph, node, constants))
    return is_lowest(fake->zero_points, fake->low);
  if (is_observe(node)) {
    const Observation observation = read_observation(node);
    return is_lowest(observation.zero_point, lowest(observation.scheme));
  }
  const auto& quant = linted.graph.values[node.outputs.at(0)].quant;
  return ir::op_base_name(node.op).starts_with("quantize_per_") && quant &&
         is_lowest(quant->zero_points, quant->lowest());
}

/// The operation that computes a value, looking through data movement, but not through functions
/// that keep dequantised integers, such as relu.
const ir::Node* origin_of(const LintedGraph& linted, ir::ValueId id) {
  for (int at = linted.program.values[id].producer; at >= 0;
       at = linted.program.values[id].producer) {
    const lint::Statement& statement = linted.program.statements[static_cast<size_t>(at)];
    if (statement.kind != lint::Kind::rearrange || lint::clips(statement))
      return &linted.graph.nodes[static_cast<size_t>(at)];
    id = static_cast<ir::ValueId>(statement.operands.at(0));
  }
  return nullptr;
}

void find_unsigned_grids(LintedGraph& linted) {
  for (size_t i = 0; i < linted.graph.nodes.size(); ++i) {
    const lint::Kind kind = linted.program.statements[i].kind;
    if (kind != lint::Kind::quantise && kind != lint::Kind::fake_quantise &&
        kind != lint::Kind::observe)
      continue;
    const ir::Node& node = linted.graph.nodes[i];
    const ir::ValueId self = ir::operand(node, "self");
    if (self == ir::kNoValue || linted.known[self] || !lacks_negatives(linted, node)) continue;
    const ir::Node* origin = origin_of(linted, self);
    if (origin == nullptr || !is_two_sided(linted, *origin)) continue;
    linted.add("unsigned-grid", i,
               cat("the integers of ", quoted(linted.graph.values[self].name),
                   " represent no negative number, but ", ir::op_short_name(origin->op),
                   " computes some"));
  }
}

/// The largest magnitude in each channel, relative to the zero point.
std::vector<double> magnitudes(const ir::Tensor& weight, size_t axis, double zero) {
  const size_t inner = ir::inner_size(weight.shape, axis);
  std::vector<double> out(static_cast<size_t>(weight.shape[axis]));
  ir::for_each_part(weight, [&](size_t first, std::span<const double> values) {
    for (size_t i = 0; i < values.size(); ++i) {
      double& most = out[(first + i) / inner % out.size()];
      most = std::max(most, std::abs(values[i] - zero));
    }
  });
  return out;
}

}  // namespace

void examine_grids(LintedGraph& linted) { find_unsigned_grids(linted); }

std::string unlike_channels(const std::string& name, const ir::Tensor& weight, size_t axis,
                            const lint::Scale& scale, bool is_integer) {
  if (scale.numbers.size() != 1 || axis >= weight.shape.size() || weight.elements() == 0) return "";
  constexpr double kMostRatio = 100;
  const double zero =
      is_integer && !scale.zero_points.empty() ? static_cast<double>(scale.zero_points[0]) : 0;
  const std::vector<double> all = magnitudes(weight, axis, zero);
  const double most = *std::max_element(all.begin(), all.end());
  const auto small = std::count_if(
      all.begin(), all.end(), [&](double each) { return each > 0 && each * kMostRatio <= most; });
  if (small == 0) return "";
  return cat(small, small == 1 ? " channel of " : " channels of ", quoted(name),
             small == 1 ? " is" : " are", " at least ", kMostRatio,
             " times smaller than the largest, and all share one scale");
}

}  // namespace t2n::compress
