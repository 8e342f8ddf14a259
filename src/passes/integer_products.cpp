// SPDX-License-Identifier: Apache-2.0
#include "src/passes/integer_products.h"

#include <algorithm>
#include <any>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "src/passes/integer_valued.h"
#include "src/passes/rewriter.h"

namespace t2n::passes {
namespace {

constexpr std::string_view kProduct = "t2n::integer_linear";

/// f32 represents all integers up to here.
constexpr double kMostExact = 0x1.0p24;

/// The sum of a row's positive weights, and that of the others, without its sign.
struct RowSums {
  double positive = 0;
  double negative = 0;
};

/// Of i8[rows, count]; those of the largest weights if the values are not loaded.
std::vector<RowSums> row_sums(const ir::Tensor& weight) {
  const int64_t rows = weight.shape.at(0), count = weight.shape.at(1);
  constexpr double kLargest = 128;
  if (weight.bytes.empty())
    return {{kLargest * static_cast<double>(count), kLargest * static_cast<double>(count)}};
  std::vector<RowSums> out(static_cast<size_t>(rows));
  for (int64_t i = 0; i < rows * count; ++i) {
    const double value = ir::element_f64(weight, i);
    RowSums& row = out[static_cast<size_t>(i / count)];
    (value > 0 ? row.positive : row.negative) += std::abs(value);
  }
  return out;
}

/// The largest magnitude of a sum of any of the products, for inputs from `low` to `high`.
double largest_sum(const std::vector<RowSums>& rows, double low, double high) {
  const double above = std::max(high, 0.0), below = std::max(-low, 0.0);
  double out = 0;
  for (const RowSums& row : rows)
    out = std::max({out, above * row.positive + below * row.negative,
                    above * row.negative + below * row.positive});
  return out;
}

class IntegerRewriter : public Rewriter {
 public:
  IntegerRewriter(Graph& graph, const IntegerProducts& options)
      : Rewriter(graph), options_(options), ranges_(graph), constants_(ir::constant_index(graph)) {}

  bool run() {
    bool changed = false;
    graph_.nodes.clear();
    for (const Node& node : ranges_.nodes()) {
      begin(node);
      const bool is_product = rewrite();
      if (!is_product) keep();
      changed = changed || is_product;
    }
    finish();
    if (changed) remove_dead(graph_);
    return changed;
  }

 private:
  /// Integer-valued floats in a range of 256: `base`, minus the value `point` if there is one.
  struct Centred {
    ValueId base;
    IntegerRange range;
    ValueId point = ir::kNoValue;
    IntegerRange points = {0, 0};
  };

  static bool fits(const IntegerRange& range) {
    constexpr double kLargest = 1 << 20;
    return range.high - range.low <= 255 && std::abs(range.low) < kLargest;
  }

  std::optional<Centred> centred(ValueId x) const {
    if (const auto range = ranges_.range_of(x); range && fits(*range)) return Centred{x, *range};
    // A data-dependent zero point is subtracted from integers with a known range.
    const Node* node = ranges_.producer(x);
    if (node == nullptr || ir::op_name(node->op) != "aten::sub.Tensor") return {};
    const ValueId base = ir::operand(*node, "self"), point = ir::operand(*node, "other");
    const auto integers = ranges_.range_of(base), least = ranges_.range_of(point);
    constexpr double kLargest = 1 << 20;
    const bool is_usable = integers && fits(*integers) && least && least->low > -kLargest &&
                           least->high < kLargest && value(point).shape.empty();
    return is_usable ? std::optional(Centred{base, *integers, point, *least}) : std::nullopt;
  }

  /// The integers that the weight is a cast of; kNoValue if it is not a cast.
  ValueId integers_of(ValueId weight) const {
    const Node* node = ranges_.producer(weight);
    if (node == nullptr || ir::op_name(node->op) != "t2n::cast") return ir::kNoValue;
    const ValueId integers = ir::operand(*node, "self");
    const ir::Value& info = value(integers);
    const bool is_matrix = ranges_.is_constant(integers) && info.dtype == DType::i8 &&
                           info.shape.size() == 2 && info.shape[1].is_constant();
    return is_matrix ? integers : ir::kNoValue;
  }

  bool prefers_bytes(ValueId integers) const {
    return options_.least_bytes > 0 && value(integers).shape[1].value() >= options_.least_bytes;
  }

  /// Whether f32 may round a sum of products. A larger zero point moves the input down.
  bool is_rounded(ValueId integers, const Centred& input) const {
    const std::vector<RowSums> rows = row_sums(graph_.constants[constants_.at(integers)].data);
    const auto sum = [&](double point) {
      return largest_sum(rows, input.range.low - point, input.range.high - point);
    };
    return std::max(sum(input.points.low), sum(input.points.high)) > kMostExact;
  }

  /// The integers, shifted to the range of i8.
  ValueId as_i8(const Centred& input) {
    const auto [entry, is_new] = bytes_.try_emplace(input.base, ir::kNoValue);
    if (!is_new) return entry->second;
    const double shift = input.range.low + 128;
    const ValueId base = resolve(input.base);
    const ValueId shifted =
        shift == 0 ? base : binary("aten::sub.Tensor", base, number(shift, DType::f32));
    return entry->second = cast(shifted, DType::i8);
  }

  /// The correction of the sums of products for the shift of the input: the weights' sums times the
  /// shift.
  ValueId sums_of_weights(ValueId weight, const Centred& input) {
    const ir::Shape rows = {shape(resolve(weight)).at(0)};
    const ValueId sums = emit("aten::sum.dim_IntList",
                              {{"self", TensorRef{resolve(weight)}},
                               {"dim", std::vector<ir::Dim>{ir::Dim(1)}},
                               {"keepdim", false},
                               {"dtype", ir::None{}}},
                              DType::f32, rows);
    ValueId shift = number(input.range.low + 128, DType::f32);
    if (input.point != ir::kNoValue)
      shift = binary("aten::sub.Tensor", shift, resolve(input.point));
    return binary("aten::mul.Tensor", cast(sums, DType::i32), cast(shift, DType::i32));
  }

  bool rewrite() {
    if (ir::op_name(node().op) != "aten::linear" || !is_none("bias")) return false;
    const ValueId weight = ir::operand(node(), "weight"), x = ir::operand(node(), "input");
    const ValueId integers = integers_of(weight);
    if (integers == ir::kNoValue || value(x).dtype != DType::f32 || value(x).shape.empty())
      return false;
    const std::optional<Centred> found = centred(x);
    if (!found) return false;
    if (!prefers_bytes(integers) && !(options_.keeps_exact && is_rounded(integers, *found)))
      return false;
    const ValueId sums = prefers_bytes(integers) ? sums_of_bytes(integers, weight, *found)
                                                 : product(cast(resolve(x), DType::i32),
                                                           cast(resolve(integers), DType::i32));
    define(cast(sums, DType::f32));
    return true;
  }

  ValueId product(ValueId x, ValueId weight) {
    return emit(kProduct, {{"input", TensorRef{x}}, {"weight", TensorRef{weight}}}, DType::i32,
                output().shape);
  }

  ValueId sums_of_bytes(ValueId integers, ValueId weight, const Centred& input) {
    const ValueId sums = product(as_i8(input), resolve(integers));
    if (input.range.low == -128 && input.point == ir::kNoValue) return sums;
    return binary("aten::add.Tensor", sums, sums_of_weights(weight, input));
  }

  IntegerProducts options_;
  IntegerValued ranges_;
  std::vector<int> constants_;        ///< by the old id
  std::map<ValueId, ValueId> bytes_;  ///< by the old id
};

}  // namespace

bool integer_products(Graph& graph, const PassContext&) {
  const auto options = graph.attributes.find(kIntegerProducts);
  if (options == graph.attributes.end()) return false;
  const bool any = std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const Node& node) {
    return ir::op_name(node.op) == "aten::linear";
  });
  return any && IntegerRewriter(graph, std::any_cast<IntegerProducts>(options->second)).run();
}

}  // namespace t2n::passes
