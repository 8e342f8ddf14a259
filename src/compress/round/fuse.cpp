// SPDX-License-Identifier: Apache-2.0
#include "src/compress/round/fuse.h"

#include <algorithm>
#include <utility>

#include "src/compress/data_movement.h"
#include "src/compress/passes.h"
#include "src/diag/error.h"
#include "src/passes/layers.h"
#include "src/passes/rewriter.h"

namespace t2n::compress {
namespace {

using ir::Dim;
using ir::Node;
using ir::TensorRef;
using ir::ValueId;

constexpr int kBits = 8;

bool is_op(const Node* node, std::string_view name) {
  return node != nullptr && ir::op_name(node->op) == name;
}

/// The operations to fuse; ids are those of the old graph.
struct Match {
  const Node* layer = nullptr;
  std::string op;
  ValueId activation = ir::kNoValue;  ///< integers
  ValueId weight = ir::kNoValue;      ///< a constant of integers
  ValueId bias = ir::kNoValue;
};

/// One number for each spatial axis of a convolution; nothing for texts such as "same".
std::optional<std::vector<Dim>> spatial(const Node& layer, std::string_view argument, size_t axes,
                                        int64_t fallback) {
  const ir::Attr* attr = layer.find(argument);
  if (attr == nullptr) return std::vector<Dim>(axes, Dim(fallback));
  if (const auto* one = std::get_if<Dim>(attr)) return std::vector<Dim>(axes, *one);
  const auto* many = std::get_if<std::vector<Dim>>(attr);
  if (many == nullptr || many->empty()) return std::nullopt;
  if (many->size() == 1) return std::vector<Dim>(axes, many->front());
  return many->size() == axes ? std::optional(*many) : std::nullopt;
}

class Matcher {
 public:
  Matcher(const ir::Graph& graph, const passes::PassContext& context)
      : graph_(graph),
        context_(context),
        producers_(ir::producers(graph)),
        constants_(ir::constant_index(graph)),
        uses_(ir::use_counts(graph)),
        dynamic_(dynamic_scales(graph)) {}

  std::optional<Match> match(const Node& quantise) const {
    if (!is_op(&quantise, "aten::quantize_per_tensor") ||
        !fits_torch_kernels(quantise.outputs.at(0)))
      return std::nullopt;
    const Node* last = only_read(ir::operand(quantise, "self"));
    const bool has_relu = is_op(last, "aten::relu");
    Match out;
    out.layer = has_relu ? only_read(ir::operand(*last, "self")) : last;
    if (out.layer == nullptr) return std::nullopt;
    out.op = fused_name(graph_, *out.layer, has_relu);
    if (out.op.empty() || !context_.native.contains(ir::op_id(out.op))) return std::nullopt;
    out.activation = dequantised_from(ir::operand(*out.layer, "input"));
    out.weight = dequantised_from(ir::operand(*out.layer, "weight"));
    if (out.activation == ir::kNoValue || !fits_torch_kernels(out.activation) ||
        !is_weight(out.weight) || !has_constant_bias(*out.layer))
      return std::nullopt;
    out.bias = ir::operand(*out.layer, "bias");
    return out;
  }

 private:
  const ir::Value& value(ValueId id) const { return graph_.values[id]; }

  const Node* producer(ValueId id) const {
    const int at = id == ir::kNoValue ? -1 : producers_[id];
    return at < 0 ? nullptr : &graph_.nodes[at];
  }
  /// nullptr if the value has another reader.
  const Node* only_read(ValueId id) const {
    return id == ir::kNoValue || uses_[id] != 1 ? nullptr : producer(id);
  }

  ValueId dequantised_from(ValueId id) const {
    const Node* node = producer(id);
    return is_op(node, "aten::dequantize.self") ? ir::operand(*node, "self") : ir::kNoValue;
  }

  /// Whether activations have the quantisation that torch's kernels require.
  bool fits_torch_kernels(ValueId id) const {
    const auto& info = value(id).quant;
    return value(id).dtype == ir::DType::u8 && info && !dynamic_[id] && !info->is_per_channel() &&
           info->bits == kBits && !info->is_signed && !info->narrow_range;
  }

  bool is_weight(ValueId id) const {
    if (id == ir::kNoValue || constants_[id] < 0) return false;
    const auto& info = value(id).quant;
    return value(id).dtype == ir::DType::i8 && info && info->bits == kBits &&
           (!info->is_per_channel() || info->axis == 0);
  }

  bool has_constant_bias(const Node& layer) const {
    if (passes::is_absent(layer, "bias")) return true;
    const ValueId bias = ir::operand(layer, "bias");
    return bias != ir::kNoValue && constants_[bias] >= 0 && value(bias).dtype == ir::DType::f32 &&
           !value(bias).quant;
  }

  const ir::Graph& graph_;
  const passes::PassContext& context_;
  std::vector<int> producers_;
  std::vector<int> constants_;
  std::vector<int> uses_;
  std::vector<bool> dynamic_;
};

class Fusing : public passes::Rewriter {
 public:
  explicit Fusing(ir::Graph& graph) : Rewriter(graph), before_(graph) {}

  bool run(const passes::PassContext& context) {
    const Matcher matcher(before_, context);
    bool changed = false;
    graph_.nodes.clear();
    for (const Node& node : before_.nodes) {
      const auto match = matcher.match(node);
      begin(node);
      if (match)
        fuse(*match);
      else
        keep();
      changed = changed || match;
    }
    finish();
    return changed;
  }

 private:
  void fuse(const Match& match) {
    const ir::QuantInfo info = *output().quant;
    const ir::DType dtype = output().dtype;
    const ir::Shape shape = output().shape;
    node_.scope = match.layer->scope;  // it replaces the layer
    node_.source = match.layer->source;
    const bool is_linear = ir::op_name(match.layer->op).starts_with("aten::linear");
    std::vector<ir::Argument> args =
        is_linear ? linear_arguments(match) : convolution_arguments(match);
    args.push_back({is_linear ? "Y_scale_i" : "output_scale", info.scales[0]});
    args.push_back({is_linear ? "Y_zero_point_i" : "output_zero_point", Dim(info.zero_points[0])});
    const ValueId fused = emit(match.op, std::move(args), dtype, shape);
    value(fused).quant = info;
    define(fused);
  }

  ir::Attr bias_of(const Match& match) const {
    return match.bias == ir::kNoValue ? ir::Attr(ir::None{}) : ir::Attr(TensorRef{match.bias});
  }

  std::vector<ir::Argument> linear_arguments(const Match& match) const {
    return {{"X", TensorRef{resolve(match.activation)}},
            {"weight", TensorRef{match.weight}},
            {"bias", bias_of(match)}};
  }

  /// conv1d has the parameters of a conv2d of height 1.
  std::vector<ir::Argument> convolution_arguments(const Match& match) {
    const Node& layer = *match.layer;
    const size_t axes = value(match.weight).shape.size() - 2;
    const auto list = [&](std::string_view argument, int64_t fallback) {
      std::vector<Dim> out = *spatial(layer, argument, axes, fallback);
      if (axes == 1) out.insert(out.begin(), Dim(fallback));
      return out;
    };
    Dim groups(1);
    if (const ir::Attr* attr = layer.find("groups")) groups = std::get<Dim>(*attr);
    return {{"qx", TensorRef{resolve(match.activation)}},
            {"weight", TensorRef{axes == 1 ? flat_weight(match.weight) : match.weight}},
            {"bias", bias_of(match)},
            {"stride", list("stride", 1)},
            {"padding", list("padding", 0)},
            {"dilation", list("dilation", 1)},
            {"transposed", false},
            {"output_padding", std::vector<Dim>(std::max<size_t>(axes, 2), Dim(0))},
            {"groups", groups}};
  }

  ValueId flat_weight(ValueId weight) {
    const size_t at = ir::constant_index(graph_)[weight];
    ir::Tensor data = ir::contiguous(graph_.constants[at].data);
    data.shape.insert(data.shape.begin() + 2, 1);
    data.strides = ir::contiguous_strides(data.shape);
    auto info = value(weight).quant;
    const ValueId out = constant(std::move(data));
    value(out).quant = std::move(info);
    swap_names(weight, out);
    return out;
  }

  const ir::Graph before_;
};

}  // namespace

std::string fused_name(const ir::Graph& graph, const Node& layer, bool has_relu) {
  const std::string_view name = ir::op_base_name(layer.op);
  const bool is_linear = name == "linear";
  const std::string_view relu = has_relu ? "_relu" : "";
  const ValueId input = ir::operand(layer, "input");
  const ValueId weight = ir::operand(layer, "weight");
  if (input == ir::kNoValue || weight == ir::kNoValue) return "";
  const size_t rank = graph.values[input].shape.size();
  const size_t weight_rank = graph.values[weight].shape.size();
  if (is_linear) return rank < 2 ? "" : cat("quantized::linear", relu);
  constexpr std::string_view kNames[] = {"conv1d", "conv2d", "conv3d"};
  const bool is_plain = std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
  const bool is_general = name == "convolution" || name == "_convolution";
  if ((!is_plain && !is_general) || rank != weight_rank || rank < 3 || rank > 5) return "";
  if (passes::is_transposed(layer)) return "";
  for (const char* argument : {"stride", "padding", "dilation"})
    if (!spatial(layer, argument, rank - 2, 0)) return "";
  return cat("quantized::conv", rank - 2, "d", relu, rank == 3 ? "" : ".new");
}

}  // namespace t2n::compress

bool t2n::compress::fuse_quantised(ir::Graph& graph, const passes::PassContext& context) {
  return compress::Fusing(graph).run(context);
}
