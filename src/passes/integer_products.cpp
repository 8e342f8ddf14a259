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
  IntegerProducts(Graph& graph, int64_t least) : Rewriter(graph), least_(least), whole_(graph) {}

  bool run() {
    bool changed = false;
    graph_.nodes.clear();
    for (const Node& node : whole_.nodes()) {
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
  /// Steps as 8-bit integers: `base`, minus `taken` or minus the value `point`.
  struct Steps {
    ValueId base;
    double lowest;
    ValueId point = ir::kNoValue;
  };

  static bool fits(const Whole& whole) {
    constexpr double kLargest = 1 << 20;
    return whole.high - whole.low <= 255 && std::abs(whole.low) < kLargest;
  }

  std::optional<Steps> steps(ValueId x) const {
    if (const auto whole = whole_.of(x); whole && fits(*whole)) return Steps{x, whole->low};
    // A zero point that follows from data is below what is known of the integers.
    const Node* node = whole_.producer(x);
    if (node == nullptr || ir::op_name(node->op) != "aten::sub.Tensor") return {};
    const ValueId base = ir::operand(*node, "self"), point = ir::operand(*node, "other");
    const auto integers = whole_.of(base), least = whole_.of(point);
    constexpr double kLargest = 1 << 20;
    const bool is_usable = integers && fits(*integers) && least && least->low > -kLargest &&
                           least->high < kLargest && value(point).shape.empty();
    return is_usable ? std::optional(Steps{base, integers->low, point}) : std::nullopt;
  }

  /// The integers that the weight is a cast of; kNoValue if it is not a cast.
  ValueId integers_of(ValueId weight) const {
    const Node* node = whole_.producer(weight);
    if (node == nullptr || ir::op_name(node->op) != "t2n::cast") return ir::kNoValue;
    const ValueId integers = ir::operand(*node, "self");
    const ir::Value& held = value(integers);
    const bool is_matrix = whole_.is_constant(integers) && held.dtype == DType::i8 &&
                           held.shape.size() == 2 && held.shape[1].is_constant();
    return is_matrix && held.shape[1].value() >= least_ ? integers : ir::kNoValue;
  }

  /// The steps within -128 to 127.
  ValueId of_8_bits(const Steps& steps) {
    const auto [entry, is_new] = bytes_.try_emplace(steps.base, ir::kNoValue);
    if (!is_new) return entry->second;
    const double shift = steps.lowest + 128;
    const ValueId base = resolve(steps.base);
    const ValueId moved =
        shift == 0 ? base : binary("aten::sub.Tensor", base, number(shift, DType::f32));
    return entry->second = cast(moved, DType::i8);
  }

  /// The difference in the sums of products that moving the input causes: the weights' sums times
  /// the shift.
  ValueId sums_of_weights(ValueId weight, const Steps& steps) {
    const ir::Shape rows = {shape(resolve(weight)).at(0)};
    const ValueId sums = emit("aten::sum.dim_IntList",
                              {{"self", TensorRef{resolve(weight)}},
                               {"dim", std::vector<ir::Dim>{ir::Dim(1)}},
                               {"keepdim", false},
                               {"dtype", ir::None{}}},
                              DType::f32, rows);
    ValueId shift = number(steps.lowest + 128, DType::f32);
    if (steps.point != ir::kNoValue)
      shift = binary("aten::sub.Tensor", shift, resolve(steps.point));
    return binary("aten::mul.Tensor", cast(sums, DType::i32), cast(shift, DType::i32));
  }

  bool rewrite() {
    if (ir::op_name(node().op) != "aten::linear" || !is_none("bias")) return false;
    const ValueId weight = ir::operand(node(), "weight"), x = ir::operand(node(), "input");
    const ValueId integers = integers_of(weight);
    if (integers == ir::kNoValue || value(x).dtype != DType::f32 || value(x).shape.empty())
      return false;
    const std::optional<Steps> found = steps(x);
    if (!found) return false;
    ValueId y =
        emit(kProduct,
             {{"input", TensorRef{of_8_bits(*found)}}, {"weight", TensorRef{resolve(integers)}}},
             DType::i32, output().shape);
    if (found->lowest != -128 || found->point != ir::kNoValue)
      y = binary("aten::add.Tensor", y, sums_of_weights(weight, *found));
    define(cast(y, DType::f32));
    return true;
  }

  int64_t least_;
  IntegerValued whole_;
  std::map<ValueId, ValueId> bytes_;  ///< by the old number
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
