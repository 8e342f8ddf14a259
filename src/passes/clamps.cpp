// SPDX-License-Identifier: Apache-2.0
#include "src/passes/clamps.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "src/diag/one_of.h"
#include "src/passes/pattern.h"
#include "src/passes/rewrite.h"
#include "src/passes/zero_signs.h"

namespace t2n::passes {
namespace {

constexpr std::array<std::string_view, 4> kLarger = {"gt", "ge", "greater", "greater_equal"};
constexpr std::array<std::string_view, 4> kSmaller = {"lt", "le", "less", "less_equal"};

constexpr std::array<std::string_view, 5> kRoundings = {"round", "floor", "ceil", "trunc",
                                                        "fake_quantize_per_tensor_affine"};
/// Operations between the rounding of a quantiser and its clamps.
constexpr std::array<std::string_view, 11> kOfQuantisers = {
    "add",   "sub",       "mul",       "div",     "where",  "masked_fill",
    "clamp", "clamp_min", "clamp_max", "minimum", "maximum"};

/// `bound` where the condition holds, else `self`.
struct Choice {
  const ir::Attr* condition = nullptr;
  const ir::Attr* bound = nullptr;
  const ir::Attr* self = nullptr;
};

std::optional<Choice> choice_of(const ir::Node& node) {
  const std::string_view op = ir::op_short_name(node.op);
  Choice out;
  if (op == "where") out = {node.find("condition"), node.find("self"), node.find("other")};
  if (op == "masked_fill") out = {node.find("mask"), node.find("value"), node.find("self")};
  if (!out.condition || !out.bound || !out.self || node.outputs.size() != 1) return std::nullopt;
  return out;
}

class Clamps {
 public:
  Clamps(ir::Graph& graph, const PassContext& context)
      : graph_(graph), pattern_(graph), constants_(ir::constant_index(graph)), calls_(graph) {
    if (context.operators != nullptr) zeros_.emplace(graph, *context.operators);
  }

  bool run() {
    bool changed = false;
    for (ir::Node& node : graph_.nodes) changed = recognise(node) || changed;
    if (changed) remove_dead(graph_);
    return changed;
  }

 private:
  bool recognise(ir::Node& node) {
    const auto choice = choice_of(node);
    const ir::Node* comparison = choice ? producer(*choice->condition) : nullptr;
    if (comparison == nullptr) return false;
    const auto is_upper = bounds_above(*comparison, *choice);
    if (!is_upper || !has_usable_bound(*choice, node.outputs[0])) return false;
    if (!is_rounded(*choice->self)) return false;
    const ir::ValueId self = std::get<ir::TensorRef>(*choice->self).id;
    const std::optional<double> number = pattern_.number(choice->bound);
    ir::Attr bound = number ? ir::Attr(*number) : *choice->bound;
    if (number)
      node.args = {{"self", ir::TensorRef{self}}, {*is_upper ? "max" : "min", std::move(bound)}};
    else
      node.args = {{"self", ir::TensorRef{self}}, {"other", std::move(bound)}};
    node.op = ir::op_id(number ? (*is_upper ? "aten::clamp_max" : "aten::clamp_min")
                               : (*is_upper ? "aten::minimum" : "aten::maximum"));
    node.call = calls_.take(node.op, node.scope);
    node.compute_dtype = pattern_.value(node.outputs[0]).dtype;
    return true;
  }

  const ir::Node* producer(const ir::Attr& attr) const {
    const auto* ref = std::get_if<ir::TensorRef>(&attr);
    return ref == nullptr ? nullptr : pattern_.producer(ref->id);
  }

  /// Whether a quantiser computes the value: its operands lead to a rounding.
  bool is_rounded(const ir::Attr& attr, int most_steps = 8) const {
    const ir::Node* const node = producer(attr);
    if (node == nullptr || most_steps == 0) return false;
    const std::string_view op = ir::op_short_name(node->op);
    if (is_one_of(op, kRoundings)) return true;
    if (!is_one_of(op, kOfQuantisers)) return false;
    return std::any_of(node->args.begin(), node->args.end(), [&](const auto& argument) {
      return is_rounded(argument.value, most_steps - 1);
    });
  }

  /// Whether the chosen bound is an upper one; nothing if other values are compared.
  std::optional<bool> bounds_above(const ir::Node& comparison, const Choice& choice) const {
    const std::string_view op = ir::op_short_name(comparison.op);
    const bool is_larger = is_one_of(op, kLarger);
    const ir::Attr* left = comparison.find("self");
    const ir::Attr* right = comparison.find("other");
    if ((!is_larger && !is_one_of(op, kSmaller)) || !left || !right) return std::nullopt;
    if (is_same(*left, *choice.self) && is_same(*right, *choice.bound)) return is_larger;
    if (is_same(*right, *choice.self) && is_same(*left, *choice.bound)) return !is_larger;
    return std::nullopt;
  }

  /// The same tensor, or the same number.
  bool is_same(const ir::Attr& a, const ir::Attr& b) const {
    const auto* first = std::get_if<ir::TensorRef>(&a);
    const auto* second = std::get_if<ir::TensorRef>(&b);
    if (first && second && first->id == second->id) return true;
    const auto number = pattern_.number(&a);
    return number && number == pattern_.number(&b);
  }

  bool has_usable_bound(const Choice& choice, ir::ValueId result) const {
    const auto* self = std::get_if<ir::TensorRef>(choice.self);
    if (self == nullptr) return false;
    const ir::Value& x = pattern_.value(self->id);
    const ir::Value& y = pattern_.value(result);
    if (!ir::is_float(y.dtype) || x.dtype != y.dtype) return false;
    std::vector<double> values;
    if (const auto number = pattern_.number(choice.bound)) {
      if (x.shape != y.shape) return false;
      values = {*number};
    } else if (const ir::Tensor* tensor = constant(*choice.bound)) {
      if (tensor->dtype != y.dtype) return false;
      values = ir::to_f64(*tensor);
    }
    const bool has_nan = std::any_of(values.begin(), values.end(), [](double v) { return v != v; });
    return !values.empty() && !has_nan && (!has_zero(values) || !exposes_zeros(result));
  }

  const ir::Tensor* constant(const ir::Attr& attr) const {
    const auto* ref = std::get_if<ir::TensorRef>(&attr);
    const int index = ref == nullptr ? -1 : constants_[ref->id];
    if (index < 0 || !graph_.constants[index].data.is_loaded()) return nullptr;
    return &graph_.constants[index].data;
  }

  static bool has_zero(const std::vector<double>& values) {
    return std::find(values.begin(), values.end(), 0.0) != values.end();
  }

  bool exposes_zeros(ir::ValueId id) const { return !zeros_ || zeros_->exposes(id); }

  ir::Graph& graph_;
  Pattern pattern_;
  std::vector<int> constants_;
  FreshCalls calls_;
  std::optional<ZeroSigns> zeros_;  ///< nothing if operators are unknown
};

}  // namespace

bool recognise_clamps(ir::Graph& graph, const PassContext& context) {
  return Clamps(graph, context).run();
}

}  // namespace t2n::passes
