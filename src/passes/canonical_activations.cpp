// SPDX-License-Identifier: Apache-2.0
// The pass `canonical-activations`: replaces formulas by the operation that engines have for them:
// activations, norms and clamps.
#include <numbers>

#include "src/passes/clamps.h"
#include "src/passes/passes.h"
#include "src/passes/pattern.h"
#include "src/passes/rewrite.h"

namespace t2n::passes {
namespace {

/// outer(x, e) with e = function(inner(x)) is `op`(x).
struct Form {
  std::string_view function;
  Polynomial inner;
  Polynomial outer;
  std::string_view op;
  std::vector<ir::Argument> further;  ///< arguments after `self`
};

const std::vector<Form>& forms() {
  constexpr double kTanhScale = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;  // sqrt(2/pi)
  static const std::vector<Form> all = {
      {"sigmoid", {{{1, 0}, 1.0}}, {{{1, 1}, 1.0}}, "aten::silu", {}},
      {"relu6", {{{0, 0}, 3.0}, {{1, 0}, 1.0}}, {{{1, 1}, 1.0 / 6.0}}, "aten::hardswish", {}},
      {"erf",
       {{{1, 0}, std::numbers::sqrt2 / 2.0}},
       {{{1, 0}, 0.5}, {{1, 1}, 0.5}},
       "aten::gelu",
       {{"approximate", "none"}}},
      {"tanh",
       {{{1, 0}, kTanhScale}, {{3, 0}, kTanhScale * 0.044715}},
       {{{1, 0}, 0.5}, {{1, 1}, 0.5}},
       "aten::gelu",
       {{"approximate", "tanh"}}}};
  return all;
}

class Canonicaliser {
 public:
  Canonicaliser(Graph& graph, const PassContext& context)
      : graph_(graph), context_(context), pattern_(graph), calls_(graph) {}

  bool run() {
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      const Node& node = graph_.nodes[i];
      if (node.outputs.size() != 1) continue;
      const std::string_view function = function_of(node);
      for (const Form& form : forms())
        if (form.function == function && match(node, form)) break;
      if (function == "rsqrt" || function == "sqrt") match_rms_norm(node);
    }
    if (changed_) remove_dead(graph_);
    return changed_;
  }

 private:
  /// The short name, with all notations of relu6 unified.
  std::string_view function_of(const Node& node) const {
    const std::string_view name = ir::op_short_name(node.op);
    const bool is_relu6 = (name == "hardtanh" && bounds(node, "min_val", "max_val")) ||
                          (name == "clamp" && bounds(node, "min", "max"));
    return is_relu6 ? "relu6" : name;
  }

  bool bounds(const Node& node, std::string_view low, std::string_view high) const {
    return pattern_.number(node.find(low)) == 0.0 && pattern_.number(node.find(high)) == 6.0;
  }

  bool is_native(std::string_view op) const { return context_.native.contains(ir::op_id(op)); }

  /// Matches the form around one use of its function, and follows single users until it is
  /// complete.
  bool match(const Node& function, const Form& form) {
    const ValueId e = function.outputs[0];
    const ValueId in = pattern_.tensor(function.find("self"));
    const ValueId x = in == ir::kNoValue ? in : pattern_.only_variable(in);
    if (x == ir::kNoValue || !is_native(form.op)) return false;
    const auto inner = pattern_.expand(in, x, ir::kNoValue);
    if (!inner || !is_close(*inner, form.inner) || !is_like(e, x)) return false;
    for (const Node* user = pattern_.only_user(e); user;
         user = pattern_.only_user(user->outputs[0])) {
      const auto outer = pattern_.expand(user->outputs[0], x, e);
      if (!outer) return false;
      if (!is_close(*outer, form.outer)) continue;
      std::vector<ir::Argument> args = {{"self", ir::TensorRef{x}}};
      args.insert(args.end(), form.further.begin(), form.further.end());
      return is_like(user->outputs[0], x) && replace(*user, form.op, std::move(args));
    }
    return false;
  }

  /// Same float dtype and shape: nothing was promoted or broadcast on the way.
  bool is_like(ValueId id, ValueId x) const {
    const ir::Value& a = pattern_.value(id);
    const ir::Value& b = pattern_.value(x);
    return a.dtype == b.dtype && ir::is_float(a.dtype) && a.shape == b.shape;
  }

  bool replace(const Node& root, std::string_view op, std::vector<ir::Argument> args) {
    Node& node = graph_.nodes[&root - graph_.nodes.data()];
    node.op = ir::op_id(op);
    node.args = std::move(args);
    node.call = calls_.take(node.op, node.scope);
    node.compute_dtype = pattern_.value(node.outputs[0]).dtype;
    return changed_ = true;
  }

  /// x * rsqrt(mean(x * x, -1) + eps), or x / sqrt(…), optionally times a weight of the last axis.
  bool match_rms_norm(const Node& root) {
    if (!is_native("aten::rms_norm")) return false;
    const auto square = mean_square(pattern_.tensor(root.find("self")));
    const Node* user = pattern_.only_user(root.outputs[0]);
    if (!square || user == nullptr || !is_normalisation(*user, square->x, root)) return false;
    const ValueId weight = weight_of(user->outputs[0], square->x);
    if (weight != ir::kNoValue) user = pattern_.only_user(user->outputs[0]);
    const ir::Shape size = {pattern_.value(square->x).shape.back()};
    return replace(*user, "aten::rms_norm",
                   {{"input", ir::TensorRef{square->x}},
                    {"normalized_shape", size},
                    {"weight", weight == ir::kNoValue ? Attr(ir::None{}) : ir::TensorRef{weight}},
                    {"eps", square->eps}});
  }

  struct MeanSquare {
    ValueId x;
    double eps;
  };

  /// `sum` as mean(x * x, -1, keepdim) + eps.
  std::optional<MeanSquare> mean_square(ValueId sum) const {
    const ValueId mean = sum == ir::kNoValue ? sum : pattern_.only_variable(sum);
    if (mean == ir::kNoValue || mean == sum || pattern_.uses(mean) != 1) return std::nullopt;
    const auto polynomial = pattern_.expand(sum, mean, ir::kNoValue);
    if (!polynomial || !polynomial->contains({0, 0})) return std::nullopt;
    const double eps = polynomial->at({0, 0});
    if (!is_close(*polynomial, {{{0, 0}, eps}, {{1, 0}, 1.0}})) return std::nullopt;
    const ValueId x = squared_before(mean);
    return x == ir::kNoValue ? std::nullopt : std::optional(MeanSquare{x, eps});
  }

  /// x where `mean` is the mean of x * x along the last axis, which is kept.
  ValueId squared_before(ValueId mean) const {
    const Node* node = pattern_.producer(mean);
    const ValueId in =
        node && function_of(*node) == "mean" ? pattern_.tensor(node->find("self")) : ir::kNoValue;
    if (in == ir::kNoValue || pattern_.uses(in) != 1) return ir::kNoValue;
    const ValueId x = pattern_.only_variable(in);
    if (x == ir::kNoValue || !is_like(in, x) || !is_last_axis_kept(*node, x)) return ir::kNoValue;
    const auto square = pattern_.expand(in, x, ir::kNoValue);
    return square && is_close(*square, {{{2, 0}, 1.0}}) ? x : ir::kNoValue;
  }

  bool is_last_axis_kept(const Node& mean, ValueId x) const {
    const auto rank = static_cast<int64_t>(pattern_.value(x).shape.size());
    const Attr* axes = mean.find("dim");
    const Attr* keep = mean.find("keepdim");
    return rank > 0 && axes && keep && *keep == Attr(true) &&
           (*axes == Attr(ir::Shape{-1}) || *axes == Attr(ir::Shape{rank - 1})) &&
           pattern_.value(mean.outputs[0]).dtype == pattern_.value(x).dtype;
  }

  bool is_normalisation(const Node& node, ValueId x, const Node& root) const {
    const ValueId e = root.outputs[0];
    if (node.outputs.size() != 1 || !is_like(node.outputs[0], x)) return false;
    if (function_of(root) == "sqrt")
      return function_of(node) == "div" && pattern_.tensor(node.find("self")) == x &&
             pattern_.tensor(node.find("other")) == e && is_none(node.find("rounding_mode"));
    const auto product = pattern_.expand(node.outputs[0], x, e);
    return product && is_close(*product, {{{1, 1}, 1.0}});
  }

  /// The factor of the last axis in the only reader of `normed`, or kNoValue.
  ValueId weight_of(ValueId normed, ValueId x) const {
    const Node* node = pattern_.only_user(normed);
    if (node == nullptr || function_of(*node) != "mul" || !is_like(node->outputs[0], x))
      return ir::kNoValue;
    const ValueId self = pattern_.tensor(node->find("self"));
    const ValueId other = pattern_.tensor(node->find("other"));
    const ValueId weight = self == normed ? other : self;
    if (weight == ir::kNoValue) return ir::kNoValue;
    const ir::Value& value = pattern_.value(weight);
    const bool fits = value.dtype == pattern_.value(x).dtype &&
                      value.shape == ir::Shape{pattern_.value(x).shape.back()};
    return fits ? weight : ir::kNoValue;
  }

  Graph& graph_;
  const PassContext& context_;
  Pattern pattern_;
  FreshCalls calls_;
  bool changed_ = false;
};

}  // namespace

bool canonical_activations(Graph& graph, const PassContext& context) {
  const bool has_clamps = recognise_clamps(graph, context);
  return Canonicaliser(graph, context).run() || has_clamps;
}

}  // namespace t2n::passes
