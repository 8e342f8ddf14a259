// SPDX-License-Identifier: Apache-2.0
#include "tests/support/shape_rules.h"

#include "ir/print.h"
#include "ir/sizes.h"
#include "ops/all.h"
#include "src/shapes/shape_rule.h"
#include "src/translate/registry.h"

namespace t2n::test {
namespace {

/// Sizes of one stay: they broadcast.
ir::Sizes open_inputs(ir::Graph& graph) {
  ir::Sizes sizes;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    ir::Shape& shape = graph.values[static_cast<size_t>(graph.inputs[i])].shape;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      if (shape[axis] == ir::Dim(1)) continue;
      const std::string symbol = cat("d", i, "_", axis);
      sizes[symbol] = shape[axis].value();
      shape[axis] = ir::Dim::symbol(symbol);
    }
  }
  return sizes;
}

/// What a rule got wrong; its shapes are written into the graph if nothing.
std::string node_error(ir::Graph& graph, const ir::Node& node, const ir::Sizes& sizes) {
  const auto* known = ops::registry().table().find<shapes::ResultShapes>(node.op);
  if (known == nullptr) return {};
  shapes::ConstraintSet facts({&sizes});
  shapes::RuleResult result =
      shapes::apply_shape_rule(known->rule, shapes::ShapeView(graph, node, facts));
  if (result.is_broken) return cat(ir::op_name(node.op), ": ", result.why, "\n");
  std::string out;
  for (size_t i = 0; i < result.shapes.size(); ++i) {
    ir::Shape& traced = graph.values[static_cast<size_t>(node.outputs[i])].shape;
    // A size that is in the values is what it was.
    for (size_t axis = 0; axis < result.shapes[i].size() && axis < traced.size(); ++axis)
      if (result.shapes[i][axis] == shapes::unbacked_size()) result.shapes[i][axis] = traced[axis];
    if (ir::to_shape(ir::evaluate(result.shapes[i], sizes)) != traced)
      out += cat(ir::op_name(node.op), ": the rule says ", ir::shape_str(result.shapes[i]),
                 ", torch ", ir::shape_str(traced), "\n");
    else
      traced = result.shapes[i];
  }
  return out;
}

}  // namespace

std::string shape_rule_errors(const ir::Graph& traced) {
  ir::Graph graph = traced;
  const ir::Sizes sizes = open_inputs(graph);
  // Of empty tensors torch makes much of what shape it likes.
  for (const auto& [symbol, size] : sizes)
    if (size == 0) return {};
  std::string out;
  for (const ir::Node& node : graph.nodes) out += node_error(graph, node, sizes);
  return out.empty() ? out : out + ir::print(traced);
}

}  // namespace t2n::test
