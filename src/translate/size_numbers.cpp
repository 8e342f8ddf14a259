// SPDX-License-Identifier: Apache-2.0
#include "src/translate/size_numbers.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "ir/op_traits.h"
#include "src/diag/one_of.h"

namespace t2n::ops {
namespace {

using ir::Dim;
using Number = std::optional<SizeNumber>;

constexpr std::array<std::string_view, 13> kKeeps = {
    "to",   "cast",    "_to_copy", "clone",   "detach",    "alias",  "contiguous",
    "view", "reshape", "squeeze",  "flatten", "unsqueeze", "type_as"};

/// Products of two such numbers stay far within 64 bits.
bool is_small(const Dim& size) {
  constexpr int64_t kLargest = int64_t{1} << 24;
  constexpr size_t kMostTerms = 8;
  const auto fits = [](int64_t number) { return number >= -kLargest && number <= kLargest; };
  if (!fits(size.constant_part())) return false;
  if (size.is_constant()) return true;
  return size.terms().size() <= kMostTerms &&
         std::all_of(size.terms().begin(), size.terms().end(),
                     [&](const ir::Term& term) { return fits(term.factor); });
}

Number checked(const Dim& size, double factor) {
  const bool is_known = is_small(size) && std::isfinite(factor) && factor != 0;
  return is_known ? Number({size, factor}) : std::nullopt;
}

Number constant(double value) {
  constexpr double kLargest = 0x1p24;
  if (std::abs(value) <= kLargest && value == std::floor(value))
    return checked(static_cast<int64_t>(value), 1);
  return checked(1, value);
}

Number sum_of_both(const Number& a, const Number& b) {
  if (!a || !b) return {};
  const double ratio = b->factor / a->factor;
  if (std::abs(ratio) < 1) return sum_of_both(b, a);
  const Number multiple = constant(ratio);
  if (!multiple || multiple->factor != 1) return {};
  return checked(a->size + b->size * multiple->size, a->factor);
}

Number product_of(const Number& a, const Number& b) {
  return a && b ? checked(a->size * b->size, a->factor * b->factor) : std::nullopt;
}

Number ratio_of(const Number& a, const Number& b) {
  if (!a || !b || !b->size.is_constant() || b->size.value() == 0) return {};
  return checked(a->size, a->factor / (b->factor * static_cast<double>(b->size.value())));
}

Number larger(const Number& a, const Number& b) {
  if (!a || !b || a->factor != 1 || b->factor != 1) return {};
  return checked(ir::max(a->size, b->size), 1);
}

/// Integers truncate a fraction, and small ones wrap around.
Number as_dtype(const Number& x, ir::DType dtype) {
  const bool is_integer = x && x->factor == std::floor(x->factor) && ir::dtype_size(dtype) > 2;
  return ir::is_float(dtype) || is_integer ? x : std::nullopt;
}

bool has_one_element(const ir::Value& value) {
  return std::all_of(value.shape.begin(), value.shape.end(),
                     [](const Dim& size) { return size == Dim(1); });
}

bool is_size_number(const ir::Value& value) {
  return value.dtype != ir::DType::boolean && has_one_element(value);
}

}  // namespace

SizeNumbers::SizeNumbers(const ir::Graph& graph) : numbers_(graph.values.size()) {
  for (const ir::Constant& each : graph.constants) {
    const size_t at = each.value;
    if (is_size_number(graph.values[at]) && !each.data.bytes.empty() && each.data.elements() == 1)
      numbers_[at] = constant(ir::element_f64(ir::contiguous(each.data), 0));
  }
  for (const ir::Node& node : graph.nodes) {
    if (node.outputs.size() != 1 || node.outputs[0] == ir::kNoValue) continue;
    const size_t at = node.outputs[0];
    if (is_size_number(graph.values[at])) numbers_[at] = result(node, graph.values[at].dtype);
  }
}

Number SizeNumbers::of(const ir::Node& node, std::string_view argument) const {
  if (const ir::ValueId id = ir::operand(node, argument); id != ir::kNoValue) return of(id);
  const ir::Attr* const found = node.find(argument);
  if (found == nullptr) return {};
  if (const auto* size = std::get_if<Dim>(found)) return checked(*size, 1);
  if (const auto* number = std::get_if<double>(found)) return constant(*number);
  return {};
}

Number SizeNumbers::result(const ir::Node& node, ir::DType dtype) const {
  const std::string_view op = ir::op_short_name(node.op);
  if (op == "tensor") return of(node, "t");
  if (op == "scalar_tensor") return of(node, "s");
  const Number self = of(node, "self");
  if (is_one_of(op, kKeeps)) return as_dtype(self, dtype);
  if (op == "neg" || op == "negative") return product_of(self, constant(-1));
  const auto other = [&] { return of(node, "other"); };
  const auto scaled = [&](const Number& x, double sign) {
    const Number alpha = node.find("alpha") == nullptr ? constant(1) : of(node, "alpha");
    return product_of(x, product_of(alpha, constant(sign)));
  };
  if (op == "add") return sum_of_both(self, scaled(other(), 1));
  if (op == "sub" || op == "subtract") return sum_of_both(self, scaled(other(), -1));
  if (op == "rsub") return sum_of_both(other(), scaled(self, -1));
  if (op == "mul" || op == "multiply") return product_of(self, other());
  const bool divides = op == "div" || op == "divide" || op == "true_divide";
  if (divides && node.find("rounding_mode") == nullptr) return ratio_of(self, other());
  if (op == "maximum") return larger(self, other());
  const ir::Attr* const most = node.find("max");
  const bool has_least_only = most == nullptr || std::holds_alternative<ir::None>(*most);
  if (op == "clamp_min" || (op == "clamp" && has_least_only)) return larger(self, of(node, "min"));
  return {};
}

}  // namespace t2n::ops
