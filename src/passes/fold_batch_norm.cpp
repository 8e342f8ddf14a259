// SPDX-License-Identifier: Apache-2.0
// The pass `fold-batch-norm`: y = (W x + b - mean) * s + beta with s = gamma / sqrt(var + eps)
// equals (s W) x + (b - mean) s + beta, where everything but x is known.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "ir/spilled.h"
#include "src/diag/one_of.h"
#include "src/passes/known.h"
#include "src/passes/layers.h"
#include "src/passes/passes.h"
#include "src/passes/rewriter.h"

namespace t2n::passes {
namespace {

using ir::Ints;

bool is_batch_norm(const Node& node) {
  constexpr std::array<std::string_view, 5> kNames = {
      "batch_norm", "native_batch_norm", "_native_batch_norm_legit",
      "_native_batch_norm_legit_no_training", "_batch_norm_no_update"};
  return ir::op_name(node.op).starts_with("aten::") && is_one_of(ir::op_base_name(node.op), kNames);
}

/// The factor and the term of a batch norm for each channel.
struct Affine {
  std::vector<double> scale;
  std::vector<double> shift;
};

/// "conv.weight" -> "conv.bias"
std::string bias_name(const std::string& weight) {
  constexpr std::string_view kWeight = "weight";
  if (!weight.ends_with(kWeight)) return weight + "_bias";
  return weight.substr(0, weight.size() - kWeight.size()) + "bias";
}

class BatchNormFolder {
 public:
  explicit BatchNormFolder(Graph& graph)
      : graph_(graph),
        names_(graph),
        constants_(ir::constant_index(graph)),
        producers_(ir::producers(graph)),
        uses_(ir::use_counts(graph)) {}

  bool run() {
    std::vector<bool> folded;
    for (const Node& node : graph_.nodes) folded.push_back(is_batch_norm(node) && fold(node));
    if (std::find(folded.begin(), folded.end(), true) == folded.end()) return false;
    size_t next = 0;
    std::erase_if(graph_.nodes, [&](const Node&) { return folded[next++]; });
    remove_dead(graph_);
    return true;
  }

 private:
  const ir::Value& value(ValueId id) const { return graph_.values[id]; }
  int& uses(ValueId id) { return uses_[id]; }

  /// nullptr unless the value is a float constant with known values.
  const Tensor* constant(ValueId id) const {
    const int at = id == ir::kNoValue ? -1 : constants_[id];
    if (at < 0 || value(id).quant) return nullptr;
    const Tensor& data = graph_.constants[at].data;
    return data.is_loaded() && ir::is_float(data.dtype) ? &data : nullptr;
  }

  /// A vector of one number per channel; `fallback` if it is absent. Nothing if it is unknown.
  std::optional<std::vector<double>> channels(const Node& node, std::string_view argument,
                                              int64_t count, double fallback) const {
    if (is_absent(node, argument)) return std::vector<double>(static_cast<size_t>(count), fallback);
    const Tensor* data = constant(ir::operand(node, argument));
    if (data == nullptr || data->shape != Ints{count}) return std::nullopt;
    return ir::to_f64(*data);
  }

  std::optional<Affine> affine_of(const Node& norm, int64_t count) const {
    if (is_absent(norm, "running_mean") || is_absent(norm, "running_var")) return std::nullopt;
    const Attr* training = norm.find("training");
    const Attr* eps = norm.find("eps");
    if ((training != nullptr && *training != Attr(false)) || eps == nullptr ||
        !std::holds_alternative<double>(*eps))
      return std::nullopt;
    auto scale = channels(norm, "weight", count, 1);
    const auto shift = channels(norm, "bias", count, 0);
    const auto mean = channels(norm, "running_mean", count, 0);
    const auto variance = channels(norm, "running_var", count, 1);
    if (!scale || !shift || !mean || !variance) return std::nullopt;
    Affine out{*std::move(scale), *shift};
    for (size_t i = 0; i < out.scale.size(); ++i) {
      out.scale[i] /= std::sqrt((*variance)[i] + std::get<double>(*eps));
      out.shift[i] -= (*mean)[i] * out.scale[i];
    }
    return out;
  }

  /// The layer that feeds only the batch norm, with the same channels; nullptr if there is none.
  Node* layer_of(const Node& norm) {
    const ValueId fed = ir::operand(norm, "input");
    const int at = fed == ir::kNoValue ? -1 : producers_[fed];
    if (at < 0 || uses(fed) != 1) return nullptr;
    Node& layer = graph_.nodes[at];
    const ValueId result = norm.outputs.at(0);
    for (size_t i = 1; i < norm.outputs.size(); ++i)
      if (uses(norm.outputs[i]) > 0) return nullptr;
    if (value(fed).dtype != value(result).dtype || value(fed).shape != value(result).shape)
      return nullptr;
    // A batch norm's channels are along axis 1.
    const size_t rank = value(fed).shape.size();
    if (is_linear(layer)) return rank == 2 ? &layer : nullptr;
    const ValueId weight = ir::operand(layer, "weight");
    const bool is_batched = weight != ir::kNoValue && value(weight).shape.size() == rank;
    return is_conv(layer) && is_batched && rank >= 3 ? &layer : nullptr;
  }

  /// The constant with other values: the same one, or a new one if it has other readers.
  ValueId replace(ValueId id, Tensor data) {
    if (uses(id) == 1) {
      graph_.constants[constants_[id]].data = ir::spilled(std::move(data));
      return id;
    }
    --uses(id);
    return add(value(id).name, std::move(data));
  }

  ValueId add(const std::string& name, Tensor data) {
    constants_.push_back(static_cast<int>(graph_.constants.size()));
    producers_.push_back(-1);
    uses_.push_back(1);
    return ir::add_constant(graph_, names_.take(name), ir::spilled(std::move(data)));
  }

  bool fold(const Node& norm) {
    Node* layer = layer_of(norm);
    if (layer == nullptr) return false;
    const ValueId weight = ir::operand(*layer, "weight");
    const Tensor* data = constant(weight);
    if (data == nullptr || layer->find("bias") == nullptr) return false;
    const WeightChannels channels_of(*layer, data->shape);
    if (!channels_of.is_valid()) return false;
    const int64_t count = channels_of.outputs();
    const auto affine = affine_of(norm, count);
    const auto bias = channels(*layer, "bias", count, 0);
    if (!affine || !bias) return false;
    std::vector<double> shift = affine->shift;
    for (size_t i = 0; i < shift.size(); ++i) shift[i] += (*bias)[i] * affine->scale[i];
    std::vector<double> weights = ir::to_f64(*data);
    for (size_t i = 0; i < weights.size(); ++i)
      weights[i] *= affine->scale[channels_of.output_of(static_cast<int64_t>(i))];
    Tensor new_weight = ir::tensor_of(data->dtype, data->shape, weights);
    const ir::DType bias_dtype =
        is_absent(*layer, "bias") ? data->dtype : value(ir::operand(*layer, "bias")).dtype;
    Tensor new_bias = ir::tensor_of(bias_dtype, {count}, shift);
    if (!ir::is_finite(new_weight) || !ir::is_finite(new_bias)) return false;
    store(*layer, weight, std::move(new_weight), std::move(new_bias));
    replace_result(norm, *layer);
    return true;
  }

  void store(Node& layer, ValueId weight, Tensor new_weight, Tensor new_bias) {
    const std::string name = bias_name(value(weight).name);
    set_operand(layer, "weight", replace(weight, std::move(new_weight)));
    set_operand(layer, "bias",
                is_absent(layer, "bias")
                    ? add(name, std::move(new_bias))
                    : replace(ir::operand(layer, "bias"), std::move(new_bias)));
  }

  /// The layer's result replaces the batch norm's, and gets its name.
  void replace_result(const Node& norm, Node& layer) {
    const ValueId fed = layer.outputs.at(0);
    const ValueId result = norm.outputs.at(0);
    producers_[result] = producers_[fed];
    layer.outputs[0] = result;
  }

  Graph& graph_;
  FreshNames names_;
  std::vector<int> constants_;  ///< by value: index in graph.constants, or -1
  std::vector<int> producers_;
  std::vector<int> uses_;
};

}  // namespace

bool fold_batch_norm(Graph& graph, const PassContext& /*context*/) {
  return BatchNormFolder(graph).run();
}

}  // namespace t2n::passes
