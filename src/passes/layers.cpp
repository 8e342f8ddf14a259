// SPDX-License-Identifier: Apache-2.0
#include "src/passes/layers.h"

#include <algorithm>
#include <array>
#include <utility>

#include "ir/op_traits.h"
#include "ir/scan.h"

namespace t2n::passes {
namespace {

using ir::Node;
using ir::ValueId;

/// The positions of weight, activations and bias in a kind of operation.
struct Row {
  std::string_view name;  ///< the short name
  std::string_view weight;
  std::string_view activation;
  std::string_view bias;
  int channel_axis;  ///< negative ones count from the end
};
constexpr std::array kRows = {
    Row{"linear", "weight", "input", "bias", 0},
    Row{"conv1d", "weight", "input", "bias", 0},
    Row{"conv2d", "weight", "input", "bias", 0},
    Row{"conv3d", "weight", "input", "bias", 0},
    Row{"conv_transpose1d", "weight", "input", "bias", 1},
    Row{"conv_transpose2d", "weight", "input", "bias", 1},
    Row{"conv_transpose3d", "weight", "input", "bias", 1},
    Row{"embedding", "weight", "", "", 0},
    Row{"embedding_bag", "weight", "", "", 0},
    Row{"addmm", "mat2", "mat1", "self", -1},
    Row{"mm", "mat2", "self", "", -1},
    Row{"matmul", "other", "self", "", -1},
    Row{"bmm", "mat2", "self", "", -1},
    Row{"baddbmm", "batch2", "batch1", "self", -1},
    // With the weight as the first operand: its rows are results.
    Row{"mm", "self", "mat2", "", -2},
    Row{"matmul", "self", "other", "", -2},
    Row{"bmm", "self", "mat2", "", -2},
};

/// True for floats with at least two axes: quantising scales and biases saves too little.
bool is_weight(const ir::Graph& graph, ValueId id, const std::vector<bool>& is_known) {
  if (id == ir::kNoValue || !is_known[id]) return false;
  const ir::Value& value = graph.values[id];
  constexpr size_t kLeastRank = 2;
  return ir::is_float(value.dtype) && value.shape.size() >= kLeastRank;
}

std::optional<Layer> recurrent(const ir::Graph& graph, const Node& node,
                               const std::vector<bool>& is_known) {
  if (!ir::has_trait(ir::op_short_name(node.op), ir::OpTrait::recurrent)) return std::nullopt;
  const ir::Attr* attr = node.find("params");
  const auto* params = attr == nullptr ? nullptr : std::get_if<ir::TensorRefs>(attr);
  if (params == nullptr) return std::nullopt;
  Layer out;
  for (const ValueId id : params->ids)
    if (is_weight(graph, id, is_known)) out.weights.push_back({id, "params", 0});
  return out;
}

/// One iteration of a recurrent layer.
std::optional<Layer> cell(const ir::Graph& graph, const Node& node,
                          const std::vector<bool>& is_known) {
  constexpr std::string_view kSuffix = "_cell";
  std::string_view name = ir::op_short_name(node.op);
  if (!name.ends_with(kSuffix)) return std::nullopt;
  name.remove_suffix(kSuffix.size());
  if (!ir::has_trait(name, ir::OpTrait::recurrent)) return std::nullopt;
  Layer out;
  for (const std::string_view argument : {"w_ih", "w_hh"})
    if (const ValueId id = ir::operand(node, argument); is_weight(graph, id, is_known))
      out.weights.push_back({id, argument, 0});
  if (out.weights.empty()) return std::nullopt;
  return out;
}

/// A product of a tensor and a matrix, equivalent to a linear layer.
std::optional<Layer> einsum(const ir::Graph& graph, const Node& node,
                            const std::vector<bool>& is_known) {
  const ir::Attr* equation = node.find("equation");
  const ir::Attr* tensors = node.find("tensors");
  if (ir::op_short_name(ir::op_name(node.op)) != "einsum" || equation == nullptr ||
      tensors == nullptr)
    return std::nullopt;
  const std::vector<ValueId>& ids = std::get<ir::TensorRefs>(*tensors).ids;
  if (ids.size() != 2 || !is_weight(graph, ids[1], is_known)) return std::nullopt;
  const auto has_columns = is_transposed_einsum(std::get<std::string>(*equation));
  const bool is_matrix = graph.values[ids[1]].shape.size() == 2;
  if (!has_columns || !is_matrix || ids[0] == ids[1]) return std::nullopt;
  Layer out;
  out.weights.push_back({ids[1], "tensors", *has_columns ? 1 : 0});
  if (!is_known[ids[0]]) out.activations.push_back(ids[0]);
  return out;
}

/// If all readers of a value in a loop's body use it as a weight: the axis of its channels.
std::optional<Weight> weight_inside(const ir::Graph& body, ValueId id) {
  std::vector<bool> is_known = known_values(body);
  is_known[id] = true;
  std::optional<Weight> out;
  for (const Node& node : body.nodes) {
    bool reads = false;
    ir::for_each_input(node, [&](ValueId operand) { reads = reads || operand == id; });
    if (!reads) continue;
    const auto layer = layer_of(body, node, is_known);
    if (!layer) return std::nullopt;
    const auto weight = std::find_if(layer->weights.begin(), layer->weights.end(),
                                     [&](const Weight& each) { return each.value == id; });
    if (weight == layer->weights.end()) return std::nullopt;
    if (out && out->channel_axis != weight->channel_axis) return std::nullopt;
    out = *weight;
  }
  return out;
}

/// A loop as a layer, with the weights that its iterations read.
std::optional<Layer> loop(const ir::Graph& graph, const Node& node,
                          const std::vector<bool>& is_known) {
  if (!node.body) return std::nullopt;
  const ir::Scan scan = ir::read_scan(node);
  Layer out;
  for (size_t i = 0; i < scan.captured.size(); ++i) {
    if (!is_weight(graph, scan.captured[i], is_known)) continue;
    const auto inside = weight_inside(*node.body, node.body->inputs[scan.captured_input(i)]);
    if (inside) out.weights.push_back({scan.captured[i], "captured", inside->channel_axis});
  }
  if (out.weights.empty()) return std::nullopt;
  return out;
}

}  // namespace

bool is_linear(const Node& node) { return ir::op_name(node.op) == "aten::linear"; }

bool is_conv(const Node& node) {
  const bool is_row = std::any_of(kRows.begin(), kRows.end(), [&](const Row& each) {
    return each.name == ir::op_short_name(node.op);
  });
  const std::string_view base = ir::op_base_name(node.op);
  return is_row && ir::op_short_name(node.op).starts_with("conv") && base != "_convolution_mode" &&
         ir::op_name(node.op).starts_with("aten::");
}

bool is_lookup(const Node& node) { return ir::op_short_name(node.op).starts_with("embedding"); }

bool is_transposed(const Node& node) {
  const ir::Attr* attr = node.find("transposed");
  return (attr != nullptr && *attr != ir::Attr(false)) ||
         ir::op_short_name(node.op).starts_with("conv_transpose");
}

int64_t groups_of(const Node& node) {
  const ir::Attr* attr = node.find("groups");
  const auto* groups = attr == nullptr ? nullptr : std::get_if<ir::Dim>(attr);
  return groups == nullptr || !groups->is_constant() ? 1 : groups->value();
}

bool is_absent(const Node& node, std::string_view argument) {
  const ir::Attr* attr = node.find(argument);
  return attr == nullptr || std::holds_alternative<ir::None>(*attr) ||
         *attr == ir::Attr(ir::TensorRef{});
}

void set_operand(Node& node, std::string_view argument, ir::ValueId id) {
  for (ir::Argument& each : node.args)
    if (each.name == argument) each.value = ir::TensorRef{id};
}

/// False for "...k,nk->...n", with a matrix as the second operand; true for "kn".
std::optional<bool> is_transposed_einsum(std::string equation) {
  std::erase(equation, ' ');
  const size_t comma = equation.find(','), arrow = equation.find("->");
  if (comma == std::string::npos || arrow != comma + 3 || comma == 0) return {};
  const std::string x = equation.substr(0, comma), y = equation.substr(arrow + 2);
  const char k = x.back();
  const bool is_transposed = equation[comma + 1] == k;
  const char n = equation[comma + (is_transposed ? 2 : 1)];
  const bool has_both = n != k && equation[comma + (is_transposed ? 1 : 2)] == k;
  const std::string rows = x.substr(0, comma - 1);
  const bool is_plain = rows.find_first_of(std::string{k, n, '.'}) == std::string::npos;
  if (!has_both || !is_plain || y != rows + n) return {};
  for (size_t i = 0; i < rows.size(); ++i)
    if (rows.find(rows[i], i + 1) != std::string::npos) return {};
  return is_transposed;
}

std::vector<bool> known_values(const ir::Graph& graph) {
  std::vector<bool> out(graph.values.size());
  for (const ir::Constant& constant : graph.constants) out[constant.value] = true;
  for (const Node& node : graph.nodes) {
    bool known = !ir::is_unpredictable(node.op) && !node.body;
    bool has_operand = false;
    ir::for_each_input(node, [&](ValueId id) {
      has_operand = true;
      known = known && out[id];
    });
    for (const ValueId id : node.outputs) out[id] = known && has_operand;
  }
  return out;
}

std::optional<Layer> layer_of(const ir::Graph& graph, const Node& node,
                              const std::vector<bool>& is_known) {
  if (auto out = recurrent(graph, node, is_known)) return out;
  if (auto out = loop(graph, node, is_known)) return out;
  if (auto out = cell(graph, node, is_known)) return out;
  if (auto out = einsum(graph, node, is_known)) return out;
  const std::string_view name = ir::op_short_name(ir::op_name(node.op));
  const auto row = std::find_if(kRows.begin(), kRows.end(), [&](const Row& each) {
    return each.name == name && is_weight(graph, ir::operand(node, each.weight), is_known);
  });
  if (row == kRows.end()) return std::nullopt;
  const ValueId weight = ir::operand(node, row->weight);
  const auto rank = static_cast<int>(graph.values[weight].shape.size());
  Layer out;
  out.weights.push_back(
      {weight, row->weight, row->channel_axis < 0 ? rank + row->channel_axis : row->channel_axis});
  if (is_transposed(node)) {
    // [in, out / groups, …]: with groups, no axis corresponds to the output channels.
    out.weights[0].channel_axis = 1;
    if (groups_of(node) != 1) out.weights[0].channel_axis = std::nullopt;
  }
  if (const ValueId x = ir::operand(node, row->activation); x != ir::kNoValue && !is_known[x])
    out.activations.push_back(x);
  if (const ValueId bias = ir::operand(node, row->bias); bias != ir::kNoValue && is_known[bias])
    out.bias = bias;
  return out;
}

WeightChannels::WeightChannels(const Node& layer, const ir::Ints& weight)
    : transposed_(is_transposed(layer)), groups_(groups_of(layer)) {
  if (weight.size() < 2 || groups_ < 1) return;
  rows_ = weight[0];
  columns_ = weight[1];
  for (size_t i = 2; i < weight.size(); ++i) rest_ *= weight[i];
  valid_ = rows_ > 0 && columns_ > 0 && rest_ > 0 && rows_ % groups_ == 0;
}

}  // namespace t2n::passes
