// The pass `explicit-promotion` casts operands to the dtype in which their operation computes.
#include "ir/op_traits.h"
#include "src/passes/pass.h"
#include "src/passes/rewrite.h"

namespace t2n::passes {
namespace {

/// Operations with boolean results, whatever dtype they compute in.
bool is_predicate(ir::OpId op) {
  return has_trait(ir::op_short_name(ir::op_name(op)), ir::OpTrait::predicate);
}

/// Operands that select and are not computed with: always booleans.
bool is_condition(std::string_view name) { return name == "condition" || name == "mask"; }

class Promoter {
 public:
  Promoter(Graph& graph, const PassContext& context)
      : graph_(graph), promotion_(context.promotion), names_(graph), calls_(graph) {}

  bool run() {
    std::vector<Node> old = std::exchange(graph_.nodes, {});
    graph_.nodes.reserve(old.size());
    for (Node& node : old) promote(std::move(node));
    return changed_;
  }

 private:
  ir::Value& value(ValueId id) { return graph_.values[static_cast<size_t>(id)]; }

  void promote(Node node) {
    const std::optional<ir::Promotion> rule = promotion_(node.op);
    if (!rule || !node.compute_dtype) {
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

  /// torch's common dtype, unless the operation leaves the integers (`true_divide`).
  DType computing_dtype(const Node& node, ir::Promotion rule) {
    const DType common = *node.compute_dtype;
    if (ir::is_float(common) || ir::is_complex(common)) return common;
    const DType result = value(node.outputs.at(0)).dtype;
    if (ir::is_float(result) && !is_predicate(node.op)) return result;
    return rule == ir::Promotion::to_float ? DType::f32 : common;
  }

  /// `id` in another dtype; one cast serves all later operations.
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

  void add_cast(ValueId from, ValueId to, const Node& beside) {
    static const ir::OpId cast_op = ir::op_id("t2n::cast");
    Node cast;
    cast.op = cast_op;
    cast.args = {{"self", ir::TensorRef{from}}, {"dtype", value(to).dtype}};
    cast.outputs = {to};
    cast.scope = beside.scope;
    cast.call = calls_.take(cast_op, beside.scope);
    cast.source = beside.source;
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
  const decltype(PassContext::promotion)& promotion_;
  FreshNames names_;
  FreshCalls calls_;
  std::map<std::pair<ValueId, DType>, ValueId> casts_;
  bool changed_ = false;
};

}  // namespace

bool explicit_promotion(Graph& graph, const PassContext& context) {
  return context.promotion && Promoter(graph, context).run();
}

}  // namespace t2n::passes
