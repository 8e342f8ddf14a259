// SPDX-License-Identifier: Apache-2.0
// A graph as the lint's rules see it: value i is the graph's, and statement i its node.
#include <algorithm>
#include <array>

#include "src/compress/calibrate/observe.h"
#include "src/compress/data_movement.h"
#include "src/compress/explain/lint_graph.h"
#include "src/compress/fake_quant.h"
#include "src/compress/round/q4_0.h"
#include "src/diag/one_of.h"
#include "src/passes/known.h"
#include "src/passes/layers.h"

namespace t2n::compress {
namespace {

using ir::Node;
using ir::ValueId;
using lint::Form;
using lint::Kind;

/// True for operations whose integer operands must share one scale.
bool joins(const Node& node) {
  constexpr std::array<std::string_view, 9> kNames = {
      "add", "add_relu", "sub", "cat", "cat_relu", "concat", "concatenate", "stack", "hstack"};
  return is_one_of(ir::op_base_name(node.op), kNames);
}

/// By name, for all overloads.
Kind kind_of(const Node& node) {
  const std::string_view name = ir::op_base_name(node.op);
  if (name.starts_with("quantize_per_")) return Kind::quantise;
  if (name == "dequantize" || ir::op_name(node.op) == kDequantise) return Kind::dequantise;
  if (name.find("fake_quant") != std::string_view::npos) return Kind::fake_quantise;
  if (is_observe(node)) return Kind::observe;
  return keeps_qparams(node) ? Kind::rearrange : Kind::other;
}

class Filling {
 public:
  explicit Filling(const ir::Graph& graph)
      : graph_(graph), constants_(ir::constant_index(graph)), known_(passes::known_values(graph)) {}

  lint::Program run() {
    const std::vector<bool> dynamic = dynamic_scales(graph_);
    for (size_t i = 0; i < graph_.values.size(); ++i) add_value(i, dynamic[i]);
    for (const ValueId id : graph_.outputs) out_.values[id].is_output = true;
    for (const Node& node : graph_.nodes) {
      const Kind kind = is_quantised_layer(node) ? Kind::boundary : kind_of(node);
      set_results(node, kind);
      lint::Statement statement = {.op = std::string(ir::op_base_name(node.op)),
                                   .name = ir::node_address(graph_, node),
                                   .kind = kind,
                                   .joins = joins(node),
                                   .results = {node.outputs.begin(), node.outputs.end()},
                                   .where = ir::node_where(graph_, node)};
      ir::for_each_input(node, [&](ValueId id) { statement.operands.push_back(id); });
      out_.add(std::move(statement));
    }
    return std::move(out_);
  }

 private:
  void add_value(size_t index, bool has_dynamic_scale) {
    const ir::Value& value = graph_.values[index];
    lint::Value& out = out_.values.emplace_back();
    out.name = value.name;
    out.is_known = known_[index];
    out.is_float = ir::is_float(value.dtype);
    out.quant = value.quant;
    if (value.quant) out.form = Form::integers;
    if (value.quant && !has_dynamic_scale)
      out.scale = lint::Scale{value.quant->scales, value.quant->zero_points};
    if (constants_[index] < 0) return;
    out.stored = index;
    const ir::Tensor& data = graph_.constants[constants_[index]].data;
    if (data.is_loaded()) out.data = &data;
  }

  /// Marks float results that are dequantised, or that rearrange dequantised elements.
  void set_results(const Node& node, Kind kind) {
    const ValueId self = ir::operand(node, "self");
    const bool rounds = kind == Kind::fake_quantise || kind == Kind::observe;
    if ((rounds || kind == Kind::dequantise) && self != ir::kNoValue)
      for (const ValueId id : node.outputs) out_.values[id].stored = out_.values[self].stored;
    std::vector<ValueId> operands;
    if (kind == Kind::dequantise && self != ir::kNoValue) operands = {self};
    if (keeps_qparams(node)) operands = moved_operands(graph_, node);
    const auto scale = [&](ValueId id) { return out_.values[id].scale; };
    const bool keeps_scale =
        !operands.empty() && std::all_of(operands.begin(), operands.end(), [&](ValueId id) {
          return out_.values[id].form != Form::floats && scale(id) == scale(operands[0]);
        });
    if (!keeps_scale && kind != Kind::fake_quantise && ir::op_name(node.op) != kDequantise) return;
    std::optional<lint::Scale> result = keeps_scale ? scale(operands[0]) : std::nullopt;
    if (const auto fake = read_fake_quant(graph_, node, constants_))
      result = lint::Scale{fake->scales, fake->zero_points};
    for (const ValueId id : node.outputs) {
      lint::Value& value = out_.values[id];
      if (value.form != Form::floats || !value.is_float) continue;
      value.form = Form::dequantised;
      value.scale = result;
    }
  }

  /// True for a layer with all weights and activations quantised.
  bool is_quantised_layer(const Node& node) const {
    const auto layer = passes::layer_of(graph_, node, known_);
    if (!layer) return false;
    const auto is_quantised = [&](ValueId id) { return out_.values[id].form != Form::floats; };
    return std::all_of(layer->weights.begin(), layer->weights.end(),
                       [&](const passes::Weight& weight) { return is_quantised(weight.value); }) &&
           std::all_of(layer->activations.begin(), layer->activations.end(), is_quantised);
  }

  const ir::Graph& graph_;
  std::vector<int> constants_;
  std::vector<bool> known_;
  lint::Program out_;
};

}  // namespace

lint::Program lint_program(const ir::Graph& graph) { return Filling(graph).run(); }

}  // namespace t2n::compress
