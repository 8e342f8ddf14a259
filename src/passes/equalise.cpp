// SPDX-License-Identifier: Apache-2.0
// The pass `equalise`. Where f(s x) = s f(x) for every s > 0, channel i of one layer may be divided
// by s and that of the next layer multiplied by s. With s = sqrt(r1 / r2), the largest weights r1
// and r2 of both channels become equal, which reduces the loss of one scale per tensor. Source:
// Nagel et al., Data-Free Quantization Through Weight Equalization and Bias Correction, 2019.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "src/diag/one_of.h"
#include "src/passes/known.h"
#include "src/passes/layers.h"
#include "src/passes/passes.h"
#include "src/passes/rewriter.h"

namespace t2n::passes {
namespace {

/// Elementwise, or pooling within channels: the windows span all axes but the first two, or all but
/// the first without a batch axis.
bool is_homogeneous(const Node& node, size_t rank, bool channels_last) {
  constexpr std::array<std::string_view, 2> kElementwise = {"relu", "leaky_relu"};
  constexpr std::array<std::string_view, 9> kWindows = {
      "max_pool1d",          "max_pool2d",          "max_pool3d",
      "avg_pool1d",          "avg_pool2d",          "avg_pool3d",
      "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d"};
  if (!ir::op_name(node.op).starts_with("aten::") || node.outputs.size() != 1) return false;
  const std::string_view name = ir::op_base_name(node.op);
  if (is_one_of(name, kElementwise)) return true;
  return !channels_last && is_one_of(name, kWindows) &&
         std::string_view("123").find(name[name.size() - 2]) + 3 == rank;
}

/// Two consecutive layers, by their node indices.
struct Pair {
  size_t first;
  size_t second;
};

/// The factors of a layer's weights.
struct Factors {
  std::vector<double> outputs;
  std::vector<double> inputs;
};

class Equaliser {
 public:
  explicit Equaliser(Graph& graph)
      : graph_(graph),
        constants_(ir::constant_index(graph)),
        producers_(ir::producers(graph)),
        uses_(ir::use_counts(graph)) {}

  bool run() {
    for (size_t i = 0; i < graph_.nodes.size(); ++i) find_pair(i);
    constexpr int kMostSweeps = 30;
    constexpr double kConverged = 1e-3;
    double first_step = 0;
    for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
      double step = 0;
      for (const Pair& pair : pairs_) step = std::max(step, equalise(pair));
      if (sweep == 0) first_step = step;
      if (step < kConverged) break;
    }
    return first_step >= kConverged && store();
  }

 private:
  const ir::Value& value(ValueId id) const { return graph_.values[id]; }
  const Node& node(size_t at) const { return graph_.nodes[at]; }

  /// nullptr unless it is a known float constant with only one reader.
  Tensor* exclusive_constant(ValueId id) {
    const int at = id == ir::kNoValue ? -1 : constants_[id];
    if (at < 0 || uses_[id] != 1 || value(id).quant) return nullptr;
    Tensor& data = graph_.constants[at].data;
    return data.is_loaded() && ir::is_float(data.dtype) ? &data : nullptr;
  }
  Tensor* weight_of(const Node& layer) { return exclusive_constant(ir::operand(layer, "weight")); }

  /// A layer whose weights may change. Its channels are along axis 1, those of linear layers along
  /// the last axis.
  bool is_adjustable(const Node& layer, ValueId data) {
    if (!is_linear(layer) && !is_conv(layer)) return false;
    const Tensor* weight = weight_of(layer);
    if (weight == nullptr || !WeightChannels(layer, weight->shape).is_valid()) return false;
    return is_linear(layer) || value(data).shape.size() == weight->shape.size();
  }

  void find_pair(size_t second) {
    const Node& to = node(second);
    ValueId at = ir::operand(to, "input");
    if (at == ir::kNoValue || !is_adjustable(to, at)) return;
    while (uses_[at] == 1) {
      const int index = producers_[at];
      if (index < 0) return;
      const Node& from = node(static_cast<size_t>(index));
      if (is_homogeneous(from, value(at).shape.size(), is_linear(to))) {
        at = ir::operand(from, "self");
        if (at == ir::kNoValue) return;
        continue;
      }
      if (is_linear(from) == is_linear(to) && is_adjustable(from, at) && may_scale_bias(from))
        add(static_cast<size_t>(index), second);
      return;
    }
  }

  bool may_scale_bias(const Node& layer) {
    return is_absent(layer, "bias") || exclusive_constant(ir::operand(layer, "bias")) != nullptr;
  }

  void add(size_t first, size_t second) {
    const WeightChannels from(node(first), weight_of(node(first))->shape);
    const WeightChannels to(node(second), weight_of(node(second))->shape);
    if (from.outputs() != to.inputs()) return;
    const size_t channels = from.outputs();
    factors_[first].outputs.assign(channels, 1);
    factors_[second].inputs.assign(channels, 1);
    pairs_.push_back({first, second});
  }

  /// Calls `visit(element, value, output channel, input channel)` with the factors applied.
  template <typename Visit>
  void for_each_weight(size_t layer, const Visit& visit) {
    const Tensor& weight = *weight_of(node(layer));
    const WeightChannels channels(node(layer), weight.shape);
    const Factors& factors = factors_.at(layer);
    const auto factor = [](const std::vector<double>& channel_factors, size_t channel) {
      return channel_factors.empty() ? 1.0 : channel_factors[channel];
    };
    const std::vector<double> values = ir::to_f64(weight);
    for (size_t i = 0; i < values.size(); ++i) {
      const size_t out = channels.output_of(static_cast<int64_t>(i));
      const size_t in = channels.input_of(static_cast<int64_t>(i));
      visit(i, values[i] * factor(factors.outputs, out) * factor(factors.inputs, in), out, in);
    }
  }

  /// Returns the largest change of a channel, as |log s|.
  double equalise(const Pair& pair) {
    std::vector<double>& down = factors_.at(pair.first).outputs;
    std::vector<double>& up = factors_.at(pair.second).inputs;
    std::vector<double> first(down.size(), 0);
    std::vector<double> second(down.size(), 0);
    for_each_weight(pair.first, [&](size_t, double v, size_t out, size_t) {
      first[out] = std::max(first[out], std::abs(v));
    });
    for_each_weight(pair.second, [&](size_t, double v, size_t, size_t in) {
      second[in] = std::max(second[in], std::abs(v));
    });
    double step = 0;
    for (size_t i = 0; i < down.size(); ++i) {
      const double s = std::sqrt(first[i] / second[i]);
      if (!std::isfinite(s) || s == 0) continue;  // the channel is not read, or is always zero
      down[i] /= s;
      up[i] *= s;
      step = std::max(step, std::abs(std::log(s)));
    }
    return step;
  }

  /// False if a number does not fit its dtype: then nothing changes.
  bool store() {
    std::vector<std::pair<Tensor*, Tensor>> updates;
    for (const auto& [layer, factors] : factors_) {
      Tensor* weight = weight_of(node(layer));
      std::vector<double> values(weight->elements());
      for_each_weight(layer, [&](size_t i, double v, size_t, size_t) { values[i] = v; });
      updates.emplace_back(weight, ir::tensor_of(weight->dtype, weight->shape, values));
      if (factors.outputs.empty() || is_absent(node(layer), "bias")) continue;
      Tensor* bias = exclusive_constant(ir::operand(node(layer), "bias"));
      values = ir::to_f64(*bias);
      for (size_t i = 0; i < values.size(); ++i) values[i] *= factors.outputs.at(i);
      updates.emplace_back(bias, ir::tensor_of(bias->dtype, bias->shape, values));
    }
    for (const auto& [target, data] : updates)
      if (!ir::is_finite(data)) return false;
    for (auto& [target, data] : updates) *target = std::move(data);
    return true;
  }

  Graph& graph_;
  std::vector<int> constants_;  ///< by value: index in graph.constants, or -1
  std::vector<int> producers_;
  std::vector<int> uses_;
  std::vector<Pair> pairs_;
  std::map<size_t, Factors> factors_;  ///< by the layer's index
};

}  // namespace

bool equalise(Graph& graph, const PassContext& /*context*/) { return Equaliser(graph).run(); }

}  // namespace t2n::passes
