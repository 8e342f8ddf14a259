// SPDX-License-Identifier: Apache-2.0
// Inputs and outputs in f16. First they are rounded to f16 in a graph with f32 ports, which a check
// can run on the model's own inputs; then the casts at the boundary are removed.
#include <algorithm>

#include "src/passes/passes.h"
#include "src/passes/rewrite.h"

namespace t2n::passes {
namespace {

class PortCasts {
 public:
  explicit PortCasts(Graph& graph) : graph_(graph), names_(graph), calls_(graph) {
    for (size_t i = 0; i < graph.values.size(); ++i) same_as_.push_back(static_cast<ValueId>(i));
  }

  /// Every use of an f32 input reads its value in f16, or that in f32 again.
  void round_inputs() {
    std::vector<Node> casts;
    for (const ValueId input : graph_.inputs) {
      if (graph_.values[input].dtype != DType::f32) continue;
      const ValueId half = cast(input, DType::f16, casts);
      const ValueId wide = cast(half, DType::f32, casts);
      for (const Node& node : graph_.nodes)
        if (is_cast(node, input)) same_as_[node.outputs[0]] = half;
      same_as_[input] = wide;
    }
    replace();
    // The casts themselves read the inputs.
    graph_.nodes.insert(graph_.nodes.begin(), casts.begin(), casts.end());
    ir::remove_dead(graph_);
  }

  void round_outputs() {
    const std::vector<int> producer = ir::producers(graph_);
    for (ValueId& output : graph_.outputs) {
      if (graph_.values[output].dtype != DType::f32) continue;
      const int node = producer.at(static_cast<size_t>(output));
      if (node >= 0 && source_in_f16(graph_.nodes[static_cast<size_t>(node)])) continue;
      output = cast(cast(output, DType::f16, graph_.nodes), DType::f32, graph_.nodes);
    }
  }

  void drop() {
    for (const ValueId input : graph_.inputs) {
      if (graph_.values[input].dtype != DType::f32) continue;
      graph_.values[input].dtype = DType::f16;
      for (const Node& node : graph_.nodes)
        if (is_cast(node, input)) same_as_[node.outputs[0]] = input;
    }
    const std::vector<int> producer = ir::producers(graph_);
    for (ValueId& output : graph_.outputs) {
      const int node = producer.at(static_cast<size_t>(output));
      if (node < 0) continue;
      if (const auto half = source_in_f16(graph_.nodes[static_cast<size_t>(node)])) output = *half;
    }
    replace();
    ir::remove_dead(graph_);
  }

 private:
  static bool is_cast(const Node& node, ValueId of) {
    return ir::op_name(node.op) == "t2n::cast" && ir::operand(node, "self") == of;
  }

  /// The f16 value that a node casts to f32.
  std::optional<ValueId> source_in_f16(const Node& node) const {
    if (ir::op_name(node.op) != "t2n::cast") return std::nullopt;
    const ValueId from = ir::operand(node, "self");
    const bool is_half = graph_.values[from].dtype == DType::f16;
    return is_half ? std::optional(from) : std::nullopt;
  }

  ValueId cast(ValueId from, DType dtype, std::vector<Node>& nodes) {
    static const ir::OpId cast_op = ir::op_id("t2n::cast");
    ir::Value result = graph_.values[from];
    result.name = names_.take(cat(result.name, "_as_", ir::dtype_name(dtype)));
    result.dtype = dtype;
    Node node;
    node.op = cast_op;
    node.args = {{"self", TensorRef{from}}, {"dtype", dtype}};
    node.outputs = {ir::add_value(graph_, std::move(result))};
    node.call = calls_.take(cast_op, node.scope);
    same_as_.push_back(node.outputs[0]);
    nodes.push_back(std::move(node));
    return nodes.back().outputs[0];
  }

  void replace() { replace_uses(graph_, same_as_); }

  Graph& graph_;
  FreshNames names_;
  FreshCalls calls_;
  std::vector<ValueId> same_as_;  ///< by value: what replaces it
};

}  // namespace

void round_ports(Graph& graph) {
  PortCasts(graph).round_inputs();
  PortCasts(graph).round_outputs();
}

void drop_port_casts(Graph& graph) { PortCasts(graph).drop(); }

}  // namespace t2n::passes
