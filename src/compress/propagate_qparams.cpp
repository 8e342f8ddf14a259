// The pass `propagate-qparams`: operations that move elements move integers instead of reals, so
// that regions between dequantize and quantize_per_tensor join.
//
// dequantize sinks below such operations if all their operands are dequantised with the same
// parameters; relu on integers is a maximum with the zero point, and padding with zeros is padding
// with the zero point. Requantisation with the same parameters gives back the integers.
// quantize_per_tensor rises above such operations, up to a layer that `fuse-quantised` could join
// it with, if nothing else reads the values between. Results do not change: rounding is monotone,
// and does not move elements. Scales per channel, weights, and scales that follow from data are
// left unchanged.
#include <map>
#include <optional>
#include <utility>

#include "src/compress/fuse.h"
#include "src/compress/layers.h"
#include "src/compress/movers.h"
#include "src/passes/pass.h"
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

/// Lets quantisers rise, operation by operation, each as far as possible.
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
      for (auto at = above(i); at; at = above(*at)) changed = true;
    return changed;
  }

 private:
  /// The position of the quantiser at `i` after it rose above one operation; nothing if it stays.
  std::optional<size_t> above(size_t i) {
    const Node& node = graph_.nodes[i];
    if (!is_quantize_per_tensor(node) ||
        !graph_.values[static_cast<size_t>(node.outputs.at(0))].quant)
      return std::nullopt;
    const Node* mover = only_read(ir::operand(node, "self"));
    if (mover == nullptr || !is_passable(*mover) || !is_below_layer(*mover)) return std::nullopt;
    const auto place = static_cast<size_t>(mover - graph_.nodes.data());
    swap(place, i);
    return place;
  }

  const Node* only_read(ValueId id) const {
    if (id == ir::kNoValue) return nullptr;
    const auto at = static_cast<size_t>(id);
    if (producers_[at] < 0 || uses_[at] != 1) return nullptr;
    return &graph_.nodes[static_cast<size_t>(producers_[at])];
  }

  /// One tensor in, one out.
  bool is_passable(const Node& node) const {
    return keeps_qparams(node) && !is_relu(node) && node.outputs.size() == 1 &&
           moved_by(graph_, node).size() == 1;
  }

  bool is_below_layer(const Node& mover) const {
    const Node* at = &mover;
    while (at != nullptr && is_passable(*at)) at = only_read(moved_by(graph_, *at).front());
    const bool has_relu = at != nullptr && is_relu(*at);
    if (has_relu) at = only_read(ir::operand(*at, "self"));
    if (at == nullptr) return false;
    const std::string fused = fused_name(graph_, *at, has_relu);
    return !fused.empty() && (!context_.is_native || context_.is_native(ir::op_id(fused)));
  }

  /// x -> mover -> y -> quantise -> z: the value in between becomes the mover's operand, as
  /// integers. Positions and values are swapped alike, so that `producers_` stays valid.
  void swap(size_t mover, size_t quantise) {
    Node& first = graph_.nodes[mover];
    Node& second = graph_.nodes[quantise];
    const ValueId x = moved_by(graph_, first).front();
    const ValueId y = first.outputs[0];
    const ValueId z = second.outputs[0];
    ir::Value& between = graph_.values[static_cast<size_t>(y)];
    const ir::Value& last = graph_.values[static_cast<size_t>(z)];
    between.dtype = last.dtype;
    between.quant = last.quant;
    between.shape = graph_.values[static_cast<size_t>(x)].shape;
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
        --uses_[static_cast<size_t>(from)];
        ++uses_[static_cast<size_t>(to)];
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
      : Rewriter(graph), known_(known_values(graph)), dynamic_(dynamic_scales(graph)) {}

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
    if (is_dequantize_self(node_)) return note();
    if (is_no_dropout(node_) && integers_of(tensor("input")) != ir::kNoValue) {
      define(tensor("input"));
      return true;
    }
    if (is_quantize_per_tensor(node_) && is_as_before()) {
      define(integers_of(tensor("self")));
      return true;
    }
    if (!keeps_qparams(node_) || !are_alike()) {
      keep();
      return false;
    }
    move_integers();
    return true;
  }

  /// Keeps the operation.
  bool note() {
    const ValueId given = ir::operand(node_, "self");
    const ValueId result = node_.outputs.at(0);
    const auto at = static_cast<size_t>(given);
    const ValueId integers = resolve(given);
    const bool is_plain = value(integers).quant && !value(integers).quant->is_per_channel() &&
                          !known_[at] && !dynamic_[at] && value(result).dtype == ir::DType::f32;
    if (is_plain) integers_[result] = integers;
    keep();
    return false;
  }

  /// The integers of a value of the new graph; kNoValue if it is not dequantised.
  ValueId integers_of(ValueId real) const {
    const auto found = integers_.find(real);
    return found == integers_.end() ? ir::kNoValue : found->second;
  }

  bool are_equal(ValueId a, ValueId b) const {
    return value(a).quant == value(b).quant && value(a).dtype == value(b).dtype;
  }

  bool is_as_before() const {
    const ValueId integers = integers_of(tensor("self"));
    return integers != ir::kNoValue && are_equal(integers, node_.outputs.at(0));
  }

  bool are_alike() const {
    ValueId first = ir::kNoValue;
    for (const ValueId id : moved_by(graph_, node_)) {
      const ValueId integers = integers_of(resolve(id));
      if (integers == ir::kNoValue) return false;
      if (first == ir::kNoValue) first = integers;
      if (!are_equal(first, integers)) return false;
    }
    return first != ir::kNoValue;
  }

  void move_integers() {
    const ValueId like = integers_of(resolve(moved_by(graph_, node_).front()));
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
    const std::vector<ValueId> made = emit_all(ir::op_name(node_.op), std::move(args), results);
    for (size_t i = 0; i < made.size(); ++i) define_moved(made[i], static_cast<int>(i), info);
  }

  void define_moved(ValueId made, int index, const ir::QuantInfo& info) {
    if (!ir::is_float(output(index).dtype)) return define(made, index);
    value(made).quant = info;
    const ir::Shape shape = output(index).shape;
    const ValueId real =
        emit("aten::dequantize.self", {{"self", TensorRef{made}}}, ir::DType::f32, shape);
    integers_[real] = made;
    define(real, index);
  }

  std::vector<bool> known_;
  std::vector<bool> dynamic_;
  std::map<ValueId, ValueId> integers_;  ///< by the value dequantised from them, in the new graph
};

}  // namespace
}  // namespace t2n::compress

bool t2n::passes::propagate_qparams(ir::Graph& graph, const PassContext& context) {
  const bool has_risen = compress::Hoist(graph, context).run();
  return compress::Sink(graph).run() || has_risen;
}
