#include "src/passes/integer_products.h"

#include <algorithm>
#include <any>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "ir/op_traits.h"
#include "src/diag/one_of.h"
#include "src/passes/rewriter.h"

namespace t2n::passes {
namespace {

using ir::DType;
using ir::Graph;
using ir::Node;
using ir::TensorRef;
using ir::ValueId;

constexpr std::string_view kProduct = "t2n::integer_linear";
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string_view word_of(const Node& node) { return ir::op_short_name(ir::op_name(node.op)); }

/// Whole numbers in an interval.
struct Whole {
  double low = -kInfinity;
  double high = kInfinity;
};

/// Proven facts about values of the original graph.
class WholeNumbers {
 public:
  explicit WholeNumbers(const Graph& graph)
      : graph_(graph),
        nodes_(graph.nodes),
        producers_(ir::producers(graph)),
        constants_(ir::constant_index(graph)) {}

  const std::vector<Node>& nodes() const { return nodes_; }
  const Node* producer(ValueId id) const {
    const int at = id == ir::kNoValue ? -1 : producers_.at(static_cast<size_t>(id));
    return at < 0 ? nullptr : &nodes_[static_cast<size_t>(at)];
  }
  bool is_constant(ValueId id) const {
    return id != ir::kNoValue && constants_.at(static_cast<size_t>(id)) >= 0;
  }
  /// Nothing if the value may have fractions.
  std::optional<Whole> of(ValueId id, int depth = 0) const {
    constexpr int kDeepest = 64;
    if (id == ir::kNoValue || depth > kDeepest) return {};
    if (const auto number = number_at(id)) return of_number(*number);
    const Node* node = producer(id);
    return node == nullptr ? std::nullopt : of_result(*node, depth + 1);
  }

 private:
  static std::optional<Whole> of_number(double value) {
    if (value != std::trunc(value)) return {};
    return Whole{value, value};
  }

  /// A constant of one element.
  std::optional<double> number_at(ValueId id) const {
    if (!is_constant(id)) return {};
    const ir::Tensor& held =
        graph_.constants[static_cast<size_t>(constants_[static_cast<size_t>(id)])].data;
    if (held.elements() != 1 || held.bytes.empty() || ir::is_complex(held.dtype)) return {};
    return ir::element_f64(held, 0);
  }

  /// A number argument; `otherwise` for None.
  std::optional<double> number(const Node& node, std::string_view name, double otherwise) const {
    const ir::Attr* attr = node.find(name);
    if (attr == nullptr || std::holds_alternative<ir::None>(*attr)) return otherwise;
    if (const auto* real = std::get_if<double>(attr)) return *real;
    if (const auto* size = std::get_if<ir::Dim>(attr); size != nullptr && size->is_constant())
      return static_cast<double>(size->value());
    return {};
  }

  std::optional<Whole> argument(const Node& node, std::string_view name, int depth) const {
    if (ir::operand(node, name) != ir::kNoValue) return of(ir::operand(node, name), depth);
    const auto value = number(node, name, 0.5);
    return value ? of_number(*value) : std::nullopt;
  }

  std::optional<Whole> clamped(const Node& node, int depth) const {
    const std::string_view word = word_of(node);
    const auto low = word == "relu" ? 0.0 : number(node, "min", -kInfinity);
    const auto high = number(node, "max", kInfinity);
    const std::optional<Whole> x = of(ir::operand(node, "self"), depth);
    if (!x || !low || !high) return {};
    for (const double bound : {*low, *high})
      if (std::isfinite(bound) && bound != std::trunc(bound)) return {};
    return Whole{std::clamp(x->low, *low, *high), std::clamp(x->high, *low, *high)};
  }

  std::optional<Whole> sum(const Node& node, int depth) const {
    const auto a = argument(node, "self", depth), b = argument(node, "other", depth);
    if (!a || !b || number(node, "alpha", 1) != 1.0) return {};
    if (word_of(node) == "add") return Whole{a->low + b->low, a->high + b->high};
    return Whole{a->low - b->high, a->high - b->low};
  }

  std::optional<Whole> cast(const Node& node, int depth) const {
    const DType from = graph_.values[static_cast<size_t>(ir::operand(node, "self"))].dtype;
    if (from == DType::i8) return Whole{-128, 127};
    if (from == DType::u8) return Whole{0, 255};
    return ir::is_float(from) ? of(ir::operand(node, "self"), depth) : std::nullopt;
  }

  std::optional<Whole> of_result(const Node& node, int depth) const {
    constexpr std::array<std::string_view, 4> kRounds = {"round", "floor", "ceil", "trunc"};
    constexpr std::array<std::string_view, 4> kClamps = {"clamp", "clamp_min", "clamp_max", "relu"};
    const std::string_view word = word_of(node);
    if (node.outputs.size() != 1) return {};
    if (word == "round" && node.find("decimals") != nullptr) return {};
    if (is_one_of(word, kRounds)) return Whole{};
    if (is_one_of(word, kClamps)) return clamped(node, depth);
    if (word == "add" || word == "sub") return sum(node, depth);
    if (word == "where") {
      const auto a = argument(node, "self", depth), b = argument(node, "other", depth);
      if (!a || !b) return {};
      return Whole{std::min(a->low, b->low), std::max(a->high, b->high)};
    }
    const std::string_view name = ir::op_name(node.op);
    if (name == "t2n::cast") return cast(node, depth);
    const bool moves = ir::has_trait(name.substr(0, name.find('.')), ir::OpTrait::keeps_values);
    return moves ? of(ir::operand(node, "self"), depth) : std::nullopt;
  }

  const Graph& graph_;
  std::vector<Node> nodes_;
  std::vector<int> producers_;
  std::vector<int> constants_;
};

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
  WholeNumbers whole_;
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
