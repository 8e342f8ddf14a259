// SPDX-License-Identifier: Apache-2.0
#include "src/translate/nan_sizes.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "ir/prove.h"
#include "src/diag/one_of.h"

namespace t2n::ops {
namespace {

using ir::Dim;

using Assertions = std::vector<ir::Comparison>;

bool is_proven(const Assertions& assertions, const Dim& a, ir::Relation relation, const Dim& b) {
  return ir::prove({a, relation, b}, assertions) == ir::Verdict::always;
}

/// The sizes of the axes that the operation reduces.
ir::Shape reduced(const ir::Graph& graph, const ir::Node& node) {
  const ir::ValueId self = ir::operand(node, "self");
  if (self == ir::kNoValue) return {};
  const ir::Shape& shape = graph.values[self].shape;
  const ir::Attr* const axes = node.find("dim");
  std::span<const Dim> dims;
  if (axes != nullptr) dims = ir::dims(*axes);
  if (dims.empty()) return shape;
  ir::Shape out;
  for (const Dim& axis : dims) {
    const int64_t at =
        axis.value() < 0 ? axis.value() + static_cast<int64_t>(shape.size()) : axis.value();
    if (at >= 0 && at < static_cast<int64_t>(shape.size())) out.push_back(shape[at]);
  }
  return out;
}

/// The number that is subtracted from the element count in the divisor of a variance.
int64_t correction(const ir::Node& node) {
  const ir::Attr* const attr = node.find("correction");
  if (attr != nullptr) {
    if (const auto* number = std::get_if<double>(attr))
      return static_cast<int64_t>(std::floor(*number));
    if (const auto* dim = std::get_if<Dim>(attr)) return dim->is_constant() ? dim->value() : 1;
  }
  const ir::Attr* const flag = node.find("unbiased");
  const bool* const is_unbiased = flag == nullptr ? nullptr : std::get_if<bool>(flag);
  return is_unbiased == nullptr || *is_unbiased ? 1 : 0;
}

/// The factors of a size: a flattened axis has several.
ir::Shape factors(const Dim& size) {
  if (size.is_constant() || size.constant_part() != 0 || size.terms().size() != 1 ||
      size.terms()[0].factor < 1)
    return {size};
  ir::Shape out;
  for (const ir::Atom& atom : size.terms()[0].atoms) out.push_back(ir::sum_of({{1, {atom}}}));
  return out;
}

/// Whether the product of the sizes is always greater than `least`.
bool is_larger(const Assertions& assertions, const ir::Shape& sizes, int64_t least) {
  bool exceeds = least < 1;
  for (const Dim& size : sizes)
    for (const Dim& factor : factors(size)) {
      if (!is_proven(assertions, factor, ir::Relation::ge, Dim(1))) return false;
      exceeds = exceeds || is_proven(assertions, factor, ir::Relation::gt, Dim(least));
    }
  return exceeds;
}

/// The sizes at which a divisor may be 0.
std::optional<NanSizes> zero(const Assertions& assertions,
                             const std::optional<SizeNumber>& divisor) {
  if (!divisor || divisor->size.is_constant()) return {};
  const Dim size = divisor->size, opposite = Dim(0) - size;
  if (is_proven(assertions, size, ir::Relation::ge, Dim(1)) ||
      is_proven(assertions, opposite, ir::Relation::ge, Dim(1)))
    return {};
  const bool is_negative = is_proven(assertions, opposite, ir::Relation::ge, Dim(0));
  return NanSizes{is_negative ? opposite : size, 0};
}

}  // namespace

std::optional<NanSizes> nan_sizes(const ir::Graph& graph, const ir::Node& node,
                                  const SizeNumbers& numbers, const Assertions& assertions) {
  constexpr std::array<std::string_view, 4> kDeviations = {"std", "var", "std_mean", "var_mean"};
  constexpr std::array<std::string_view, 3> kQuotients = {"div", "divide", "true_divide"};
  const std::string_view op = ir::op_short_name(node.op);
  const bool is_deviation = is_one_of(op, kDeviations);
  if (is_deviation || op == "mean") {
    const ir::Shape sizes = reduced(graph, node);
    const int64_t least = is_deviation ? correction(node) : 0;
    if (is_larger(assertions, sizes, least)) return {};
    Dim count = 1;
    for (const Dim& size : sizes) count = count * size;
    if (count.is_constant() && count.value() > least) return {};
    return NanSizes{count, least};
  }
  if (is_one_of(op, kQuotients)) return zero(assertions, numbers.of(node, "other"));
  if (op == "reciprocal") return zero(assertions, numbers.of(node, "self"));
  return {};
}

}  // namespace t2n::ops
