// SPDX-License-Identifier: Apache-2.0
// The pass `canonical-rope`: rotary position embeddings become one operation.
#include "src/passes/passes.h"
#include "src/passes/pattern.h"
#include "src/passes/rewrite.h"

namespace t2n::passes {
namespace {

constexpr std::string_view kRope = "t2n::apply_rope";

class RopeFinder {
 public:
  RopeFinder(Graph& graph) : graph_(graph), pattern_(graph), calls_(graph) {}

  bool run() {
    bool changed = false;
    for (Node& node : graph_.nodes) {
      const auto rope = match(node);
      if (!rope) continue;
      node.op = ir::op_id(kRope);
      node.args = {{"self", ir::TensorRef{rope->x}},
                   {"cos", ir::TensorRef{rope->cos}},
                   {"sin", ir::TensorRef{rope->sin}}};
      node.call = calls_.take(node.op, node.scope);
      node.compute_dtype = pattern_.value(rope->x).dtype;
      changed = true;
    }
    if (changed) remove_dead(graph_);
    return changed;
  }

 private:
  struct Rope {
    ValueId x;
    ValueId cos;
    ValueId sin;
  };
  struct Factors {
    ValueId a;
    ValueId b;
  };

  static bool is(const Node* node, std::string_view name) {
    return node != nullptr && node->outputs.size() == 1 && ir::op_short_name(node->op) == name;
  }

  /// The operands of a product that has only one reader.
  std::optional<Factors> product(ValueId id) const {
    const Node* node = id == ir::kNoValue ? nullptr : pattern_.producer(id);
    if (!is(node, "mul") || pattern_.uses(id) != 1) return {};
    const Factors f{pattern_.tensor(node->find("self")), pattern_.tensor(node->find("other"))};
    if (f.a == ir::kNoValue || f.b == ir::kNoValue) return {};
    return f;
  }

  /// x * cos + rotate_half(x) * sin, with sums and products in any order.
  std::optional<Rope> match(const Node& node) const {
    if (!is(&node, "add") || pattern_.number(node.find("alpha")).value_or(1) != 1) return {};
    const ValueId self = pattern_.tensor(node.find("self"));
    const ValueId other = pattern_.tensor(node.find("other"));
    const auto left = product(self), right = product(other);
    if (!left || !right) return {};
    if (const auto found = match(*left, *right)) return checked(*found, node.outputs[0]);
    if (const auto found = match(*right, *left)) return checked(*found, node.outputs[0]);
    return {};
  }

  std::optional<Rope> match(const Factors& plain, const Factors& rotated) const {
    for (const auto& [half, sin] : {rotated, Factors{rotated.b, rotated.a}}) {
      const ValueId x = unrotated(half);
      if (x == ir::kNoValue) continue;
      if (plain.a == x) return Rope{x, plain.b, sin};
      if (plain.b == x) return Rope{x, plain.a, sin};
    }
    return {};
  }

  /// Checks that nothing is promoted, and that cos and sin broadcast along leading axes only.
  std::optional<Rope> checked(const Rope& rope, ValueId y) const {
    const ir::Value& x = pattern_.value(rope.x);
    const ir::Value& result = pattern_.value(y);
    const auto fits = [&](ValueId id) {
      const ir::Value& table = pattern_.value(id);
      return table.dtype == x.dtype && !table.shape.empty() &&
             table.shape.size() <= x.shape.size() && table.shape.back() == x.shape.back();
    };
    const bool is_plain = ir::is_float(x.dtype) && result.dtype == x.dtype &&
                          result.shape == x.shape && fits(rope.cos) && fits(rope.sin);
    return is_plain ? std::optional(rope) : std::nullopt;
  }

  /// x where `id` is cat([-x[.., d/2:], x[.., :d/2]], -1), read once; kNoValue otherwise.
  ValueId unrotated(ValueId id) const {
    const Node* node = pattern_.producer(id);
    if (!is(node, "cat") || pattern_.uses(id) != 1 || !is_last_axis(*node, id)) return ir::kNoValue;
    const auto* parts = std::get_if<ir::TensorRefs>(node->find("tensors"));
    if (parts == nullptr || parts->ids.size() != 2) return ir::kNoValue;
    const Node* minus = pattern_.producer(parts->ids[0]);
    if (!is(minus, "neg") || pattern_.uses(parts->ids[0]) != 1) return ir::kNoValue;
    const auto second = half(pattern_.tensor(minus->find("self")));
    const auto first = half(parts->ids[1]);
    const bool is_rotation =
        first && second && first->x == second->x && first->index == 0 && second->index == 1;
    return is_rotation ? first->x : ir::kNoValue;
  }

  struct Half {
    ValueId x;
    int index;
  };

  /// The half of a tensor's last axis that a slice or chunk gives.
  std::optional<Half> half(ValueId id) const {
    const Node* node = id == ir::kNoValue ? nullptr : pattern_.producer(id);
    if (node == nullptr) return {};
    const ValueId x = pattern_.tensor(node->find("self"));
    if (x == ir::kNoValue || !is_last_axis(*node, x)) return {};
    const ir::Dim size = pattern_.value(x).shape.back();
    if (!size.is_constant() || size.value() % 2 != 0) return {};
    if (ir::op_short_name(node->op) == "slice") return sliced_half(*node, x, size.value());
    const bool is_chunk = ir::op_short_name(node->op) == "chunk" && node->outputs.size() == 2;
    if (!is_chunk) return {};
    return Half{x, node->outputs[0] == id ? 0 : 1};
  }

  std::optional<Half> sliced_half(const Node& node, ValueId x, int64_t size) const {
    const auto integer = [&](std::string_view name, int64_t fallback) {
      const Attr* attr = node.find(name);
      return is_none(attr) ? static_cast<double>(fallback) : pattern_.number(attr).value_or(-1);
    };
    const auto d = static_cast<double>(size);
    const double start = integer("start", 0), end = integer("end", size);
    if (integer("step", 1) != 1) return {};
    if (start == 0 && end == d / 2) return Half{x, 0};
    if (start == d / 2 && end >= d) return Half{x, 1};
    return {};
  }

  bool is_last_axis(const Node& node, ValueId tensor) const {
    const auto dim = pattern_.number(node.find("dim"));
    const auto rank = static_cast<double>(pattern_.value(tensor).shape.size());
    return rank > 0 && (dim == -1.0 || dim == rank - 1);
  }

  Graph& graph_;
  Pattern pattern_;
  FreshCalls calls_;
};

}  // namespace

bool canonical_rope(Graph& graph, const PassContext& context) {
  if (!context.native.contains(ir::op_id(kRope))) return false;
  return RopeFinder(graph).run();
}

}  // namespace t2n::passes
