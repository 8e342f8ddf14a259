// SPDX-License-Identifier: Apache-2.0
#include "src/passes/integer_products.h"

#include <algorithm>
#include <any>
#include <cmath>
#include <map>
#include <optional>

#include "src/passes/integer_valued.h"
#include "src/passes/rewriter.h"

namespace t2n::passes {
namespace {

constexpr std::string_view kProduct = "t2n::integer_linear";
class IntegerProducts : public Rewriter {
 public:
  IntegerProducts(Graph& graph, int64_t least) : Rewriter(graph), least_(least), ranges_(graph) {}

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
    double lowest;
    ValueId point = ir::kNoValue;
  };

  static bool fits(const IntegerRange& range) {
    constexpr double kLargest = 1 << 20;
    return range.high - range.low <= 255 && std::abs(range.low) < kLargest;
  }

  std::optional<Centred> centred(ValueId x) const {
    if (const auto range = ranges_.range_of(x); range && fits(*range))
      return Centred{x, range->low};
    // A data-dependent zero point is subtracted from integers with a known range.
    const Node* node = ranges_.producer(x);
    if (node == nullptr || ir::op_name(node->op) != "aten::sub.Tensor") return {};
    const ValueId base = ir::operand(*node, "self"), point = ir::operand(*node, "other");
    const auto integers = ranges_.range_of(base), least = ranges_.range_of(point);
    constexpr double kLargest = 1 << 20;
    const bool is_usable = integers && fits(*integers) && least && least->low > -kLargest &&
                           least->high < kLargest && value(point).shape.empty();
    return is_usable ? std::optional(Centred{base, integers->low, point}) : std::nullopt;
  }

  /// The integers that the weight is a cast of; kNoValue if it is not a cast.
  ValueId integers_of(ValueId weight) const {
    const Node* node = ranges_.producer(weight);
    if (node == nullptr || ir::op_name(node->op) != "t2n::cast") return ir::kNoValue;
    const ValueId integers = ir::operand(*node, "self");
    const ir::Value& info = value(integers);
    const bool is_matrix = ranges_.is_constant(integers) && info.dtype == DType::i8 &&
                           info.shape.size() == 2 && info.shape[1].is_constant();
    return is_matrix && info.shape[1].value() >= least_ ? integers : ir::kNoValue;
  }

  /// The integers, shifted to the range of i8.
  ValueId as_i8(const Centred& input) {
    const auto [entry, is_new] = bytes_.try_emplace(input.base, ir::kNoValue);
    if (!is_new) return entry->second;
    const double shift = input.lowest + 128;
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
    ValueId shift = number(input.lowest + 128, DType::f32);
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
    ValueId y = emit(
        kProduct, {{"input", TensorRef{as_i8(*found)}}, {"weight", TensorRef{resolve(integers)}}},
        DType::i32, output().shape);
    if (found->lowest != -128 || found->point != ir::kNoValue)
      y = binary("aten::add.Tensor", y, sums_of_weights(weight, *found));
    define(cast(y, DType::f32));
    return true;
  }

  int64_t least_;
  IntegerValued ranges_;
  std::map<ValueId, ValueId> bytes_;  ///< by the old id
};

}  // namespace

bool integer_products(Graph& graph, const PassContext&) {
  const auto least = graph.attributes.find(kLeastIntegerProducts);
  if (least == graph.attributes.end()) return false;
  const bool any = std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const Node& node) {
    return ir::op_name(node.op) == "aten::linear";
  });
  return any && IntegerProducts(graph, std::any_cast<int64_t>(least->second)).run();
}

}  // namespace t2n::passes
