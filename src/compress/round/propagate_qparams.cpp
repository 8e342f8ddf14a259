// SPDX-License-Identifier: Apache-2.0
// The pass `propagate-qparams`: data movement is applied to integers instead of floats, so that
// quantised regions merge.
//
// dequantize sinks below data movement if all operands are dequantised with the same parameters;
// relu on integers is a maximum with the zero point, and padding with zeros is padding with the
// zero point. Requantisation with the same parameters is removed. quantize_per_tensor is hoisted
// above data movement, up to a layer that `fuse-quantised` can fuse it with, if the values in
// between have no other reader. Results do not change, since rounding is monotone and elementwise.
// Per-channel scales, weights and data-dependent scales are left unchanged.
#include <map>
#include <optional>
#include <utility>

#include "src/compress/data_movement.h"
#include "src/compress/passes.h"
#include "src/compress/round/fuse.h"
#include "src/passes/layers.h"
#include "src/passes/rewriter.h"

namespace t2n::compress {
namespace {

using ir::Node;
using ir::TensorRef;
using ir::ValueId;

bool is_quantize_per_tensor(const Node& node) {
  static const ir::OpId op = ir::op_id("aten::quantize_per_tensor");
  return node.op == op;
}
bool is_dequantize_self(const Node& node) {
  static const ir::OpId op = ir::op_id("aten::dequantize.self");
  return node.op == op;
}
bool is_relu(const Node& node) {
  static const ir::OpId op = ir::op_id("aten::relu");
  return node.op == op;
}
/// Outside of training it returns its operand.
bool is_no_dropout(const Node& node) {
  static const ir::OpId op = ir::op_id("aten::dropout");
  const ir::Attr* train = node.find("train");
  return node.op == op && train != nullptr && *train == ir::Attr(false);
}

/// Hoists quantisers, operation by operation, each as far as possible.
class Hoist {
 public:
  Hoist(ir::Graph& graph, const passes::PassContext& context)
      : graph_(graph),
        context_(context),
        producers_(ir::producers(graph)),
        uses_(ir::use_counts(graph)) {}

  bool run() {
    bool changed = false;
    for (size_t i = 0; i < graph_.nodes.size(); ++i)
      for (auto index = hoist_once(i); index; index = hoist_once(*index)) changed = true;
    return changed;
  }

 private:
  /// Hoists the quantiser at `i` above one operation and returns its new index; nothing if it
  /// stays.
  std::optional<size_t> hoist_once(size_t i) {
    const Node& node = graph_.nodes[i];
    if (!is_quantize_per_tensor(node) || !graph_.values[node.outputs.at(0)].quant)
      return std::nullopt;
    const Node* movement = only_read(ir::operand(node, "self"));
    if (movement == nullptr || !is_passable(*movement) || !is_below_layer(*movement))
      return std::nullopt;
    const size_t index = movement - graph_.nodes.data();
    swap(index, i);
    return index;
  }

  const Node* only_read(ValueId id) const {
    if (id == ir::kNoValue) return nullptr;
    const size_t at = id;
    if (producers_[at] < 0 || uses_[at] != 1) return nullptr;
    return &graph_.nodes[producers_[at]];
  }

  /// True for data movement with one operand and one result.
  bool is_passable(const Node& node) const {
    return keeps_qparams(node) && !is_relu(node) && node.outputs.size() == 1 &&
           moved_operands(graph_, node).size() == 1;
  }

  bool is_below_layer(const Node& movement) const {
    const Node* at = &movement;
    while (at != nullptr && is_passable(*at)) at = only_read(moved_operands(graph_, *at).front());
    const bool has_relu = at != nullptr && is_relu(*at);
    if (has_relu) at = only_read(ir::operand(*at, "self"));
    if (at == nullptr) return false;
    const std::string fused = fused_name(graph_, *at, has_relu);
    return !fused.empty() && context_.native.contains(ir::op_id(fused));
  }

  /// Turns x -> movement -> y -> quantise -> z into x -> quantise -> y -> movement -> z, where y
  /// has the integers of x. Nodes and values are swapped together, so that `producers_` stays
  /// valid.
  void swap(size_t movement, size_t quantise) {
    Node& first = graph_.nodes[movement];
    Node& second = graph_.nodes[quantise];
    const ValueId x = moved_operands(graph_, first).front();
    const ValueId y = first.outputs[0];
    const ValueId z = second.outputs[0];
    ir::Value& between = graph_.values[y];
    const ir::Value& last = graph_.values[z];
    between.dtype = last.dtype;
    between.quant = last.quant;
    between.shape = graph_.values[x].shape;
    redirect(first, x, y);
    redirect(second, y, x);
    std::swap(first.outputs, second.outputs);
    std::swap(first, second);
  }

  void redirect(Node& node, ValueId from, ValueId to) {
    for (ir::Argument& arg : node.args)
      ir::change_refs(arg.value, [&](ValueId& id) {
        if (id != from) return;
        id = to;
        --uses_[from];
        ++uses_[to];
      });
  }

  ir::Graph& graph_;
  const passes::PassContext& context_;
  std::vector<int> producers_;
  std::vector<int> uses_;
};

class Sink : public passes::Rewriter {
 public:
  explicit Sink(ir::Graph& graph)
      : Rewriter(graph), known_(passes::known_values(graph)), dynamic_(dynamic_scales(graph)) {}

  bool run() {
    bool changed = false;
    std::vector<Node> nodes = std::exchange(graph_.nodes, {});
    for (Node& node : nodes) {
      begin(std::move(node));
      changed = rewrite() || changed;
    }
    finish();
    return changed;
  }

 private:
  bool rewrite() {
    if (is_dequantize_self(node_)) return record();
    if (is_no_dropout(node_) && integers_of(tensor("input")) != ir::kNoValue) {
      define(tensor("input"));
      return true;
    }
    if (is_quantize_per_tensor(node_) && is_redundant()) {
      define(integers_of(tensor("self")));
      return true;
    }
    if (!keeps_qparams(node_) || !have_equal_qparams()) {
      keep();
      return false;
    }
    move_integers();
    return true;
  }

  /// Records the integers of a dequantisation and keeps the operation.
  bool record() {
    const ValueId operand = ir::operand(node_, "self");
    const ValueId result = node_.outputs.at(0);
    const size_t at = operand;
    const ValueId integers = resolve(operand);
    const bool is_plain = value(integers).quant && !value(integers).quant->is_per_channel() &&
                          !known_[at] && !dynamic_[at] && value(result).dtype == ir::DType::f32;
    if (is_plain) integers_[result] = integers;
    keep();
    return false;
  }

  /// The integers of a value of the new graph; kNoValue if it is not dequantised.
  ValueId integers_of(ValueId floats) const {
    const auto found = integers_.find(floats);
    return found == integers_.end() ? ir::kNoValue : found->second;
  }

  bool have_same_quantisation(ValueId a, ValueId b) const {
    return value(a).quant == value(b).quant && value(a).dtype == value(b).dtype;
  }

  bool is_redundant() const {
    const ValueId integers = integers_of(tensor("self"));
    return integers != ir::kNoValue && have_same_quantisation(integers, node_.outputs.at(0));
  }

  bool have_equal_qparams() const {
    ValueId first = ir::kNoValue;
    for (const ValueId id : moved_operands(graph_, node_)) {
      const ValueId integers = integers_of(resolve(id));
      if (integers == ir::kNoValue) return false;
      if (first == ir::kNoValue) first = integers;
      if (!have_same_quantisation(first, integers)) return false;
    }
    return first != ir::kNoValue;
  }

  void move_integers() {
    const ValueId like = integers_of(resolve(moved_operands(graph_, node_).front()));
    const ir::QuantInfo info = *value(like).quant;
    const ir::DType dtype = value(like).dtype;
    std::vector<ir::Argument> args = node_.args;
    for (ir::Argument& arg : args)
      ir::change_refs(arg.value, [&](ValueId& id) {
        const ValueId integers = integers_of(resolve(id));
        id = integers == ir::kNoValue ? resolve(id) : integers;
      });
    std::vector<std::pair<ir::DType, ir::Shape>> results;
    for (const ValueId id : node_.outputs) {
      const bool is_moved = ir::is_float(value(id).dtype);
      results.emplace_back(is_moved ? dtype : value(id).dtype, value(id).shape);
    }
    const std::vector<ValueId> moved = emit_all(ir::op_name(node_.op), std::move(args), results);
    for (size_t i = 0; i < moved.size(); ++i) define_moved(moved[i], static_cast<int>(i), info);
  }

  void define_moved(ValueId moved, int index, const ir::QuantInfo& info) {
    if (!ir::is_float(output(index).dtype)) return define(moved, index);
    value(moved).quant = info;
    const ir::Shape shape = output(index).shape;
    const ValueId floats =
        emit("aten::dequantize.self", {{"self", TensorRef{moved}}}, ir::DType::f32, shape);
    integers_[floats] = moved;
    define(floats, index);
  }

  std::vector<bool> known_;
  std::vector<bool> dynamic_;
  std::map<ValueId, ValueId> integers_;  ///< by the value dequantised from them, in the new graph
};

}  // namespace
}  // namespace t2n::compress

bool t2n::compress::propagate_qparams(ir::Graph& graph, const passes::PassContext& context) {
  const bool is_hoisted = compress::Hoist(graph, context).run();
  return compress::Sink(graph).run() || is_hoisted;
}
