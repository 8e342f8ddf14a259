// SPDX-License-Identifier: Apache-2.0
// The pass `explicit-promotion` casts operands to the dtype in which their operation computes.
#include "ir/op_traits.h"
#include "src/passes/known.h"
#include "src/passes/passes.h"
#include "src/passes/rewrite.h"

namespace t2n::passes {
namespace {

/// Operations with boolean results in any compute dtype.
bool is_predicate(ir::OpId op) { return has_trait(ir::op_short_name(op), ir::OpTrait::predicate); }

/// Operands that only select: always booleans.
bool is_condition(std::string_view name) { return name == "condition" || name == "mask"; }

/// Whether f16 represents a factor or divisor exactly.
bool is_exact_in_f16(double number) {
  const auto narrow = ir::float_to_half(static_cast<float>(number));
  return static_cast<double>(ir::half_to_float(narrow)) == number;
}

class Promoter {
 public:
  Promoter(Graph& graph, const PassContext& context)
      : graph_(graph),
        operators_(*context.operators),
        names_(graph),
        calls_(graph),
        constants_(ir::constant_index(graph)) {}

  bool run() {
    std::vector<Node> old = std::exchange(graph_.nodes, {});
    graph_.nodes.reserve(old.size());
    for (Node& node : old) promote(std::move(node));
    return changed_;
  }

 private:
  ir::Value& value(ValueId id) { return graph_.values[id]; }

  void promote(Node node) {
    const auto* rule = operators_.exact<ir::Promotion>(node.op);
    if (rule == nullptr || !node.compute_dtype) {
      graph_.nodes.push_back(std::move(node));
      return;
    }
    const DType dtype = computing_dtype(node, *rule);
    changed_ |= node.compute_dtype != dtype;
    node.compute_dtype = dtype;
    for (ir::Argument& arg : node.args)
      ir::change_refs(arg.value, [&](ValueId& id) {
        id = cast_of(id, is_condition(arg.name) ? DType::boolean : dtype, node);
      });
    const DType natural = is_predicate(node.op) ? DType::boolean : dtype;
    narrow_result(std::move(node), natural);
  }

  /// torch's common dtype, unless the operation converts integers to floats (`true_divide`).
  DType computing_dtype(const Node& node, ir::Promotion rule) {
    const DType common = *node.compute_dtype;
    if (common == DType::f16 && has_wide_number(node)) return DType::f32;
    if (ir::is_float(common) || ir::is_complex(common)) return common;
    const DType result = value(node.outputs.at(0)).dtype;
    if (ir::is_float(result) && !is_predicate(node.op)) return result;
    return rule == ir::Promotion::to_float ? DType::f32 : common;
  }

  /// Kernels for f16 multiplication and division read a single second operand in f32.
  bool has_wide_number(const Node& node) const {
    const std::string_view name = ir::op_short_name(node.op);
    if (!has_trait(name, ir::OpTrait::takes_wide_number)) return false;
    const ir::Attr* other = node.find("other");
    if (other == nullptr) return false;
    if (const auto* size = std::get_if<ir::Dim>(other))
      return !size->is_constant() || !is_exact_in_f16(static_cast<double>(size->value()));
    if (const auto* number = std::get_if<double>(other)) return !is_exact_in_f16(*number);
    const auto* tensor = std::get_if<ir::TensorRef>(other);
    if (tensor == nullptr) return false;
    const size_t at = tensor->id;
    const ir::Value& operand = graph_.values[at];
    if (!operand.shape.empty() || operand.dtype == DType::f16 || operand.dtype == DType::boolean)
      return false;
    const int constant = at < constants_.size() ? constants_[at] : -1;
    if (constant < 0) return true;
    const ir::Tensor& known = graph_.constants[constant].data;
    return !known.is_loaded() || !is_exact_in_f16(ir::element_f64(known, 0));
  }

  /// `id` in another dtype; later operations share one cast.
  ValueId cast_of(ValueId id, DType dtype, const Node& user) {
    if (value(id).dtype == dtype || value(id).quant) return id;
    const auto [entry, is_new] = casts_.try_emplace({id, dtype}, ir::kNoValue);
    if (is_new) {
      ir::Value result = value(id);
      result.name = names_.take(cat(value(id).name, "_as_", ir::dtype_name(dtype)));
      result.dtype = dtype;
      entry->second = ir::add_value(graph_, std::move(result));
      add_cast(id, entry->second, user);
    }
    return entry->second;
  }

  void add_cast(ValueId from, ValueId to, const Node& user) {
    static const ir::OpId cast_op = ir::op_id("t2n::cast");
    Node cast;
    cast.op = cast_op;
    cast.args = {{"self", ir::TensorRef{from}}, {"dtype", value(to).dtype}};
    cast.outputs = {to};
    cast.scope = user.scope;
    cast.call = calls_.take(cast_op, user.scope);
    cast.source = user.source;
    graph_.nodes.push_back(std::move(cast));
    changed_ = true;
  }

  /// Adds the node, and a cast if torch stored its result in another dtype (in place).
  void narrow_result(Node node, DType natural) {
    const ValueId recorded = node.outputs.at(0);
    if (value(recorded).dtype == natural || value(recorded).dtype == DType::boolean) {
      graph_.nodes.push_back(std::move(node));
      return;
    }
    ir::Value wide = value(recorded);
    wide.name = names_.take(wide.name + "_wide");
    wide.dtype = natural;
    const ValueId id = ir::add_value(graph_, std::move(wide));
    node.outputs[0] = id;
    graph_.nodes.push_back(std::move(node));
    add_cast(id, recorded, graph_.nodes.back());
  }

  Graph& graph_;
  const ir::OpTable& operators_;
  FreshNames names_;
  FreshCalls calls_;
  std::vector<int> constants_;  ///< per value
  std::map<std::pair<ValueId, DType>, ValueId> casts_;
  bool changed_ = false;
};

}  // namespace

bool explicit_promotion(Graph& graph, const PassContext& context) {
  return context.operators != nullptr && Promoter(graph, context).run();
}

}  // namespace t2n::passes
