// SPDX-License-Identifier: Apache-2.0
#include "src/compress/calibrate/clipping.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "ir/elements.h"
#include "src/compress/fake_quant.h"
#include "src/passes/layers.h"

namespace t2n::compress {
namespace {

/// The floats that round to an integer without clipping.
struct Bounds {
  ir::ValueId value = ir::kNoValue;
  std::vector<std::pair<double, double>> ends;  ///< one, or one for each index of `axis`
  std::optional<int> axis;
};

Bounds bounds_of(const FakeQuant& qparams) {
  Bounds out{qparams.self, {}, qparams.axis};
  for (size_t i = 0; i < qparams.scales.size(); ++i) {
    const auto end = [&](int64_t q, double half) {
      return (static_cast<double>(q - qparams.zero_points[i]) + half) * qparams.scales[i];
    };
    out.ends.emplace_back(end(qparams.low, -0.5), end(qparams.high, 0.5));
  }
  return out;
}

std::optional<Bounds> bounds_of(const ir::Graph& graph, const ir::Node& node,
                                const std::vector<int>& constants) {
  if (const auto fake = read_fake_quant(graph, node, constants)) return bounds_of(*fake);
  static const ir::OpId quantise = ir::op_id("aten::quantize_per_tensor");
  if (node.op != quantise) return std::nullopt;
  const auto& info = graph.values[node.outputs.at(0)].quant;
  if (!info) return std::nullopt;
  return bounds_of(FakeQuant{.self = std::get<ir::TensorRef>(*node.find("self")).id,
                             .scales = info->scales,
                             .zero_points = info->zero_points,
                             .axis = {},
                             .low = info->lowest(),
                             .high = info->highest()});
}

struct Count {
  double outside = 0;
  double all = 0;
};

void count_clipped(const ir::Tensor& tensor, const Bounds& bounds, Count& count) {
  const size_t inner =
      bounds.axis ? ir::inner_size(tensor.shape, static_cast<size_t>(*bounds.axis)) : 1;
  const std::vector<double> values = ir::to_f64(tensor);
  for (size_t i = 0; i < values.size(); ++i) {
    const auto& [low, high] = bounds.ends[i / inner % bounds.ends.size()];
    if (values[i] < low || values[i] > high) ++count.outside;
  }
  count.all += static_cast<double>(values.size());
}

/// The dequantised result of a dequantize node, since evaluators ignore the scale of integers;
/// nothing for other nodes.
std::optional<ir::Tensor> dequantised(const ir::Graph& graph, const ir::Node& node,
                                      const ir::Operand& operand) {
  static const ir::OpId op = ir::op_id("aten::dequantize.self");
  if (node.op != op) return std::nullopt;
  const ir::ValueId self = std::get<ir::TensorRef>(*node.find("self")).id;
  const auto& info = graph.values[self].quant;
  if (!info) return std::nullopt;
  return ir::dequantised(operand(self), *info);
}

}  // namespace

std::map<std::string, double> clipped_shares(const ir::Graph& graph, const Batches& batches,
                                             const AtBatch& at_batch,
                                             const ir::Evaluator& evaluate) {
  const std::vector<int> constants = ir::constant_index(graph);
  const std::vector<bool> known = passes::known_values(graph);
  std::map<std::string, Bounds> bounds;  // names do not depend on sizes
  for (const ir::Node& node : graph.nodes)
    if (auto range = bounds_of(graph, node, constants); range && !known[range->value])
      bounds.emplace(graph.values[node.outputs.at(0)].name, std::move(*range));
  std::map<std::string, double> out;
  if (bounds.empty()) return out;
  std::map<std::string, Count> counts;
  for (auto inputs = batches(); !inputs.empty(); inputs = batches()) {
    const ir::Graph sized = at_batch(inputs);
    ir::run_graph(sized, inputs, [&](const ir::Node& node, const ir::Operand& operand) {
      if (node.outputs.empty()) return evaluate(node, operand);
      if (auto floats = dequantised(sized, node, operand)) return std::vector{std::move(*floats)};
      const std::string& name = sized.values[node.outputs[0]].name;
      if (const auto range = bounds.find(name); range != bounds.end())
        count_clipped(operand(std::get<ir::TensorRef>(*node.find("self")).id), range->second,
                      counts[name]);
      return evaluate(node, operand);
    });
  }
  for (const auto& [name, count] : counts)
    if (count.all > 0) out[name] = count.outside / count.all;
  return out;
}

}  // namespace t2n::compress
