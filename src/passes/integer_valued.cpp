// SPDX-License-Identifier: Apache-2.0
#include "src/passes/integer_valued.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "ir/op_traits.h"
#include "src/diag/one_of.h"

namespace t2n::passes {
namespace {

using ir::DType;
using ir::Node;
using ir::ValueId;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::optional<IntegerRange> range_of_number(double value) {
  if (value != std::trunc(value)) return {};
  return IntegerRange{value, value};
}

/// A number argument; `fallback` for None.
std::optional<double> number(const Node& node, std::string_view name, double fallback) {
  const ir::Attr* attr = node.find(name);
  if (attr == nullptr || std::holds_alternative<ir::None>(*attr)) return fallback;
  if (const auto* scalar = std::get_if<double>(attr)) return *scalar;
  if (const auto* size = std::get_if<ir::Dim>(attr); size != nullptr && size->is_constant())
    return static_cast<double>(size->value());
  return {};
}

}  // namespace

IntegerValued::IntegerValued(const ir::Graph& graph)
    : graph_(graph),
      nodes_(graph.nodes),
      producers_(ir::producers(graph)),
      constants_(ir::constant_index(graph)) {}

const Node* IntegerValued::producer(ValueId id) const {
  const int at = id == ir::kNoValue ? -1 : producers_.at(id);
  return at < 0 ? nullptr : &nodes_[at];
}

bool IntegerValued::is_constant(ValueId id) const {
  return id != ir::kNoValue && constants_.at(id) >= 0;
}

std::optional<IntegerRange> IntegerValued::range_of(ValueId id, int depth) const {
  constexpr int kDeepest = 64;
  if (id == ir::kNoValue || depth > kDeepest) return {};
  if (const auto number = number_at(id)) return range_of_number(*number);
  const Node* node = producer(id);
  return node == nullptr ? std::nullopt : range_of_result(*node, depth + 1);
}

std::optional<double> IntegerValued::number_at(ValueId id) const {
  if (!is_constant(id)) return {};
  const ir::Tensor& data = graph_.constants[constants_[id]].data;
  if (data.elements() != 1 || data.bytes.empty() || ir::is_complex(data.dtype)) return {};
  return ir::element_f64(data, 0);
}

std::optional<IntegerRange> IntegerValued::argument(const Node& node, std::string_view name,
                                                    int depth) const {
  if (ir::operand(node, name) != ir::kNoValue) return range_of(ir::operand(node, name), depth);
  const auto value = number(node, name, 0.5);
  return value ? range_of_number(*value) : std::nullopt;
}

std::optional<IntegerRange> IntegerValued::clamped(const Node& node, int depth) const {
  const std::string_view name = ir::op_short_name(node.op);
  const auto low = name == "relu" ? 0.0 : number(node, "min", -kInfinity);
  const auto high = number(node, "max", kInfinity);
  const std::optional<IntegerRange> x = range_of(ir::operand(node, "self"), depth);
  if (!x || !low || !high) return {};
  for (const double bound : {*low, *high})
    if (std::isfinite(bound) && bound != std::trunc(bound)) return {};
  return IntegerRange{std::clamp(x->low, *low, *high), std::clamp(x->high, *low, *high)};
}

std::optional<IntegerRange> IntegerValued::sum(const Node& node, int depth) const {
  const auto a = argument(node, "self", depth), b = argument(node, "other", depth);
  if (!a || !b || number(node, "alpha", 1) != 1.0) return {};
  if (ir::op_short_name(node.op) == "add") return IntegerRange{a->low + b->low, a->high + b->high};
  return IntegerRange{a->low - b->high, a->high - b->low};
}

std::optional<IntegerRange> IntegerValued::cast(const Node& node, int depth) const {
  const DType from = graph_.values[ir::operand(node, "self")].dtype;
  if (from == DType::i8) return IntegerRange{-128, 127};
  if (from == DType::u8) return IntegerRange{0, 255};
  return ir::is_float(from) ? range_of(ir::operand(node, "self"), depth) : std::nullopt;
}

std::optional<IntegerRange> IntegerValued::range_of_result(const Node& node, int depth) const {
  constexpr std::array<std::string_view, 4> kRounds = {"round", "floor", "ceil", "trunc"};
  constexpr std::array<std::string_view, 4> kClamps = {"clamp", "clamp_min", "clamp_max", "relu"};
  const std::string_view short_name = ir::op_short_name(node.op);
  if (node.outputs.size() != 1) return {};
  if (short_name == "round" && node.find("decimals") != nullptr) return {};
  if (is_one_of(short_name, kRounds)) return IntegerRange{};
  if (is_one_of(short_name, kClamps)) return clamped(node, depth);
  if (short_name == "add" || short_name == "sub") return sum(node, depth);
  if (short_name == "where") {
    const auto a = argument(node, "self", depth), b = argument(node, "other", depth);
    if (!a || !b) return {};
    return IntegerRange{std::min(a->low, b->low), std::max(a->high, b->high)};
  }
  const std::string_view name = ir::op_name(node.op);
  if (name == "t2n::cast") return cast(node, depth);
  const bool keeps_values =
      ir::has_trait(name.substr(0, name.find('.')), ir::OpTrait::keeps_values);
  return keeps_values ? range_of(ir::operand(node, "self"), depth) : std::nullopt;
}

}  // namespace t2n::passes
