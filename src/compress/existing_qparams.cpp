// SPDX-License-Identifier: Apache-2.0
#include "src/compress/existing_qparams.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "src/compress/data_movement.h"
#include "src/diag/error.h"
#include "src/diag/one_of.h"
#include "src/passes/layers.h"

namespace t2n::compress {
namespace {

using ir::Graph;
using ir::Node;
using ir::ValueId;

/// The factor of a product with one number; nothing for other operations.
std::optional<double> factor_of(const passes::IntegerValued& numbers, const Node& node,
                                ValueId& scaled) {
  constexpr std::array<std::string_view, 2> kProducts = {"mul", "div"};
  const std::string_view name = ir::op_short_name(ir::op_name(node.op));
  if (!is_one_of(name, kProducts) || node.find("rounding_mode") != nullptr) return {};
  const ValueId self = ir::operand(node, "self");
  const ValueId other = ir::operand(node, "other");
  if (const auto factor = numbers.number_at(other)) {
    scaled = self;
    return factor;
  }
  scaled = other;
  return name == "mul" ? numbers.number_at(self) : std::nullopt;
}

/// Refuses settings that would requantise weights which the model stores as integers.
class RequantisationCheck {
 public:
  RequantisationCheck(const Graph& graph, const Node& node, const NodeSettings& settings)
      : graph_(graph), node_(node), settings_(settings) {}

  void require_kept(ValueId weight, int existing_bits) const {
    if (settings_.prune) refuse(weight, existing_bits, "pruning");
    if (!settings_.weights) return;
    if (settings_.weights->format == Format::q4_0)
      refuse(weight, existing_bits, "blocks of 4 bits");
    const int bits = settings_.weights->scheme.bits;
    if (settings_.weights->format == Format::integers && bits < existing_bits)
      refuse(weight, existing_bits, cat("integers of ", bits, " bits"));
  }

 private:
  [[noreturn]] void refuse(ValueId weight, int existing_bits, const std::string& what) const {
    const std::string module = ir::module_path(graph_, node_.scope);
    throw Error({.id = "unsupported-argument",
                 .message = cat("the model already quantises the weight ",
                                quoted(graph_.values[weight].name), " to ", existing_bits,
                                " bits, but settings request ", what),
                 .where = {ir::node_where(graph_, node_)},
                 .details = {},
                 .why = "weights that the model quantises keep their quantisation parameters",
                 .help = cat("exclude it with --ignore ", module.empty() ? "'*'" : module,
                             ", or compress the model before it is quantised")});
  }

  const Graph& graph_;
  const Node& node_;
  const NodeSettings& settings_;
};

}  // namespace

ExistingQParams::ExistingQParams(const Graph& graph)
    : graph_(graph), integer_valued_(graph), bits_(graph.values.size()) {
  constexpr int kByte = 8;
  for (const ir::Constant& constant : graph.constants) {
    const ir::Value& value = graph.values[constant.value];
    const bool is_byte = value.dtype == ir::DType::i8 || value.dtype == ir::DType::u8;
    if (is_byte) bits_[constant.value] = kByte;
    if (value.quant && ir::is_integer(value.dtype)) bits_[constant.value] = value.quant->bits;
  }
  const std::vector<bool> known = passes::known_values(graph);
  for (const Node& node : graph.nodes)
    for (const ValueId id : node.outputs)
      if (known[id]) bits_[id] = bits_of_result(node, id);
}

int ExistingQParams::bits_of_result(const Node& node, ValueId result) const {
  const ir::Shape& shape = graph_.values[result].shape;
  int bits = 0;
  bool is_rounded = true;
  ir::for_each_input(node, [&](ValueId id) {
    const int operand_bits = bits_[id];
    bits = std::max(bits, operand_bits);
    const bool has_full_shape = graph_.values[id].shape == shape;
    is_rounded = is_rounded && (operand_bits > 0 || !has_full_shape);  // scales have fewer elements
  });
  return is_rounded ? bits : 0;
}

bool ExistingQParams::is_within(ValueId activation, int bits) const {
  return distinct_values(activation, 0) <= std::exp2(bits);
}

double ExistingQParams::distinct_values(ValueId id, int depth) const {
  constexpr double kUnknown = std::numeric_limits<double>::infinity();
  constexpr int kDeepest = 32;
  if (depth > kDeepest) return kUnknown;
  if (const auto range = integer_valued_.range_of(id)) return range->high - range->low + 1;
  const Node* node = integer_valued_.producer(id);
  if (node == nullptr) return kUnknown;
  ValueId scaled = ir::kNoValue;
  if (const auto factor = factor_of(integer_valued_, *node, scaled))
    return std::isfinite(*factor) && scaled != ir::kNoValue ? distinct_values(scaled, depth + 1)
                                                            : kUnknown;
  const std::vector<ValueId> operands =
      keeps_qparams(*node) ? moved_operands(graph_, *node) : std::vector<ValueId>();
  return operands.size() == 1 ? distinct_values(operands[0], depth + 1) : kUnknown;
}

std::vector<ExistingQParam> existing_qparams(const Graph& graph, const Settings& settings) {
  const std::vector<bool> known = passes::known_values(graph);
  const ExistingQParams existing(graph);
  std::vector<ExistingQParam> out;
  for (const Node& node : graph.nodes) {
    const NodeSettings requested = settings.of(graph, node);
    const auto layer = passes::layer_of(graph, node, known);
    if (!layer || !(requested.weights || requested.activations || requested.prune)) continue;
    const auto add = [&](ValueId id, int bits) {
      out.push_back({graph.values[id].name, ir::node_address(graph, node), bits});
    };
    for (const passes::Weight& weight : layer->weights) {
      const int bits = existing.weight_bits(weight.value);
      if (bits == 0 || !(requested.weights || requested.prune)) continue;
      RequantisationCheck(graph, node, requested).require_kept(weight.value, bits);
      add(weight.value, bits);
    }
    for (const ValueId id : layer->activations)
      if (requested.activations && existing.is_within(id, requested.activations->bits)) add(id, 0);
  }
  return out;
}

}  // namespace t2n::compress
