#include "src/compress/explain/lint_view.h"

#include <algorithm>

#include "src/compress/data_movement.h"
#include "src/compress/fake_quant.h"
#include "src/compress/layers.h"
#include "src/compress/round/q4_0.h"
#include "src/passes/known.h"

namespace t2n::compress {

using ir::Node;
using ir::ValueId;

bool is_quantise(const Node& node) {
  return ir::op_base_name(node.op).starts_with("quantize_per_");
}
bool is_dequantise(const Node& node) {
  return ir::op_base_name(node.op) == "dequantize" || ir::op_name(node.op) == kDequantise;
}
bool is_fake_quant(const Node& node) {
  return ir::op_base_name(node.op).find("fake_quantize") != std::string::npos;
}

LintView::LintView(const ir::Graph& graph_in, const passes::PassContext& context_in)
    : graph(graph_in),
      context(context_in),
      producers(ir::producers(graph_in)),
      constants(ir::constant_index(graph_in)),
      known(known_values(graph_in)),
      is_output(graph_in.values.size()),
      readers(graph_in.values.size()),
      is_rounded(graph_in.values.size()),
      affine(graph_in.values.size()) {
  for (const ValueId id : graph.outputs) is_output[id] = true;
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    ir::for_each_input(graph.nodes[i], [&](ValueId id) {
      std::vector<size_t>& indices = readers[id];
      if (indices.empty() || indices.back() != i) indices.push_back(i);
    });
  propagate_affine();
}

void LintView::propagate_affine() {
  const std::vector<bool> dynamic = dynamic_scales(graph);
  for (size_t i = 0; i < graph.values.size(); ++i) {
    const auto& quant = graph.values[i].quant;
    is_rounded[i] = quant.has_value();
    if (quant && !dynamic[i]) affine[i] = Affine{quant->scales, quant->zero_points};
  }
  for (const Node& node : graph.nodes) {
    std::vector<ValueId> operands;
    if (is_dequantise(node) && ir::operand(node, "self") != ir::kNoValue)
      operands = {ir::operand(node, "self")};
    if (keeps_qparams(node)) operands = moved_operands(graph, node);
    const bool rounds = is_fake_quant(node) || ir::op_name(node.op) == kDequantise;
    const bool keeps_params =
        !operands.empty() && std::all_of(operands.begin(), operands.end(), [&](ValueId id) {
          return is_rounded[id] && affine[id] == affine[operands[0]];
        });
    if (!rounds && !keeps_params) continue;
    std::optional<Affine> params;
    if (keeps_params) params = affine[operands[0]];
    if (const auto fake = read_fake_quant(graph, node, constants))
      params = Affine{fake->scales, fake->zero_points};
    for (const ValueId id : node.outputs) {
      const size_t at = id;
      if (is_rounded[at] || !ir::is_float(graph.values[at].dtype)) continue;
      is_rounded[at] = true;
      affine[at] = params;
    }
  }
}

const Node* LintView::producer(ValueId id) const {
  const int index = id == ir::kNoValue ? -1 : producers[id];
  return index < 0 ? nullptr : &graph.nodes[index];
}

const ir::Tensor* LintView::loaded(ValueId id) const {
  const int index = id == ir::kNoValue ? -1 : constants[id];
  if (index < 0) return nullptr;
  const ir::Tensor& data = graph.constants[index].data;
  return passes::is_loaded(data) ? &data : nullptr;
}

bool LintView::is_quantised_layer(const Node& node) const {
  const auto layer = layer_of(graph, node, known);
  if (!layer) return false;
  const auto is_quantised = [&](ValueId id) { return is_rounded[id]; };
  return std::all_of(layer->weights.begin(), layer->weights.end(),
                     [&](const Weight& weight) { return is_quantised(weight.value); }) &&
         std::all_of(layer->activations.begin(), layer->activations.end(), is_quantised);
}

std::string quoted_name(const LintView& view, ValueId id) { return quoted(view.value(id).name); }

}  // namespace t2n::compress
