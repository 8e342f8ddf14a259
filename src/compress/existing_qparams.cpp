#include "src/compress/existing_qparams.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "src/compress/layers.h"
#include "src/compress/movers.h"
#include "src/diag/error.h"
#include "src/diag/one_of.h"

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

/// Refuses what would have to be done to integers that the model gives.
class Asked {
 public:
  Asked(const Graph& graph, const Node& node, const NodeSettings& settings)
      : graph_(graph), node_(node), settings_(settings) {}

  void require_kept(ValueId weight, int own_bits) const {
    if (settings_.prune) refuse(weight, own_bits, "pruning");
    if (!settings_.weights) return;
    if (settings_.weights->format == Format::q4_0) refuse(weight, own_bits, "blocks of 4 bits");
    const int bits = settings_.weights->grid.bits;
    if (settings_.weights->format == Format::integers && bits < own_bits)
      refuse(weight, own_bits, cat("integers of ", bits, " bits"));
  }

 private:
  [[noreturn]] void refuse(ValueId weight, int own_bits, const std::string& what) const {
    const std::string module = ir::module_path(graph_, node_.scope);
    throw Error({.id = "unsupported-argument",
                 .message = cat("the model itself rounds the weight ",
                                quoted(graph_.values[static_cast<size_t>(weight)].name), " to ",
                                own_bits, " bits, and settings ask for ", what),
                 .where = {ir::node_where(graph_, node_)},
                 .details = {},
                 .why = "what was rounded by the model keeps its grid",
                 .help = cat("leave it as it is: --ignore ", module.empty() ? "'*'" : module,
                             ", or compress the model from before it was quantised")});
  }

  const Graph& graph_;
  const Node& node_;
  const NodeSettings& settings_;
};

}  // namespace

ExistingQParams::ExistingQParams(const Graph& graph)
    : graph_(graph), whole_(graph), bits_(graph.values.size()) {
  constexpr int kByte = 8;
  for (const ir::Constant& constant : graph.constants) {
    const ir::Value& value = graph.values[static_cast<size_t>(constant.value)];
    const bool is_byte = value.dtype == ir::DType::i8 || value.dtype == ir::DType::u8;
    if (is_byte) bits_[static_cast<size_t>(constant.value)] = kByte;
    if (value.quant && ir::is_integer(value.dtype))
      bits_[static_cast<size_t>(constant.value)] = value.quant->bits;
  }
  const std::vector<bool> known = known_values(graph);
  for (const Node& node : graph.nodes)
    for (const ValueId id : node.outputs)
      if (known[static_cast<size_t>(id)]) bits_[static_cast<size_t>(id)] = bits_of_result(node, id);
}

int ExistingQParams::bits_of_result(const Node& node, ValueId result) const {
  const ir::Shape& shape = graph_.values[static_cast<size_t>(result)].shape;
  int bits = 0;
  bool is_rounded = true;
  ir::for_each_input(node, [&](ValueId id) {
    const int own = bits_[static_cast<size_t>(id)];
    bits = std::max(bits, own);
    const bool is_whole = graph_.values[static_cast<size_t>(id)].shape == shape;
    is_rounded = is_rounded && (own > 0 || !is_whole);  // scales are smaller
  });
  return is_rounded ? bits : 0;
}

bool ExistingQParams::is_within(ValueId activation, int bits) const {
  return kinds(activation, 0) <= std::exp2(bits);
}

double ExistingQParams::kinds(ValueId id, int depth) const {
  constexpr double kUnknown = std::numeric_limits<double>::infinity();
  constexpr int kDeepest = 32;
  if (depth > kDeepest) return kUnknown;
  if (const auto whole = whole_.of(id)) return whole->high - whole->low + 1;
  const Node* node = whole_.producer(id);
  if (node == nullptr) return kUnknown;
  ValueId scaled = ir::kNoValue;
  if (const auto factor = factor_of(whole_, *node, scaled))
    return std::isfinite(*factor) && scaled != ir::kNoValue ? kinds(scaled, depth + 1) : kUnknown;
  const std::vector<ValueId> moved =
      keeps_qparams(*node) ? moved_by(graph_, *node) : std::vector<ValueId>();
  return moved.size() == 1 ? kinds(moved[0], depth + 1) : kUnknown;
}

std::vector<ExistingQParam> existing_qparams(const Graph& graph, const Settings& settings) {
  const std::vector<bool> known = known_values(graph);
  const ExistingQParams grids(graph);
  std::vector<ExistingQParam> out;
  for (const Node& node : graph.nodes) {
    const NodeSettings of = settings.of(graph, node);
    const auto layer = layer_of(graph, node, known);
    if (!layer || !(of.weights || of.activations || of.prune)) continue;
    const auto add = [&](ValueId id, int bits) {
      out.push_back(
          {graph.values[static_cast<size_t>(id)].name, ir::node_address(graph, node), bits});
    };
    for (const Weight& weight : layer->weights) {
      const int bits = grids.weight_bits(weight.value);
      if (bits == 0 || !(of.weights || of.prune)) continue;
      Asked(graph, node, of).require_kept(weight.value, bits);
      add(weight.value, bits);
    }
    for (const ValueId id : layer->activations)
      if (of.activations && grids.is_within(id, of.activations->bits)) add(id, 0);
  }
  return out;
}

}  // namespace t2n::compress
