// SPDX-License-Identifier: Apache-2.0
#include "src/localise/flow.h"

#include <algorithm>
#include <map>

#include "src/diag/error.h"
#include "src/nnef/walk.h"
#include "src/spec/input_facts.h"

namespace t2n::localise {
namespace {

int depth_above(const Flow& flow, const std::vector<size_t>& operands) {
  int out = 0;
  for (const size_t operand : operands)
    if (!flow.tensors[operand].is_weight) out = std::max(out, flow.tensors[operand].depth + 1);
  return out;
}

void add_operand(std::vector<size_t>& operands, size_t operand) {
  if (std::find(operands.begin(), operands.end(), operand) == operands.end())
    operands.push_back(operand);
}

}  // namespace

std::vector<size_t> Flow::computed() const {
  std::vector<size_t> out;
  for (size_t i = 0; i < tensors.size(); ++i)
    if (!tensors[i].is_input && !tensors[i].is_weight) out.push_back(i);
  return out;
}

Flow flow_of(const nnef::Document& document) {
  Flow out;
  std::map<std::string, size_t, std::less<>> known;
  for (size_t at = 0; at < document.graph.body.size(); ++at) {
    const nnef::Assignment& statement = document.graph.body[at];
    FlowTensor tensor{.name = {}, .operation = statement.right.text, .operands = {}};
    if (statement.right.kind != nnef::Kind::invocation) tensor.operation = "=";
    nnef::walk(statement.right, [&](const nnef::Value& value) {
      if (value.kind != nnef::Kind::identifier) return;
      if (const auto found = known.find(value.text); found != known.end())
        add_operand(tensor.operands, found->second);
    });
    tensor.statement = at;
    tensor.is_input = spec::is_external(statement.right);
    tensor.is_weight = tensor.operation == "variable";
    tensor.depth = depth_above(out, tensor.operands);
    for (const std::string_view name : nnef::assigned_names(statement.left)) {
      tensor.name = name;
      known[tensor.name] = out.tensors.size();
      out.tensors.push_back(tensor);
    }
  }
  for (const std::string& name : document.graph.parameters)
    if (const auto found = known.find(name); found != known.end())
      out.inputs.push_back(found->second);
  for (const std::string& name : document.graph.results)
    if (const auto found = known.find(name); found != known.end())
      out.results.push_back(found->second);
  return out;
}

GraphFlow flow_of(const ir::Graph& graph) {
  GraphFlow out;
  std::map<ir::ValueId, size_t> known;
  const auto add = [&](ir::ValueId id, FlowTensor tensor) {
    tensor.name = graph.values[id].name;
    known[id] = out.tensors.size();
    out.tensors.push_back(std::move(tensor));
    out.ids.push_back(id);
  };
  for (const ir::ValueId id : graph.inputs) {
    out.inputs.push_back(out.tensors.size());
    add(id, {.name = {}, .operation = {}, .operands = {}, .is_input = true});
  }
  for (size_t at = 0; at < graph.nodes.size(); ++at) {
    const ir::Node& node = graph.nodes[at];
    FlowTensor tensor{.name = {},
                      .operation = std::string(ir::op_name(node.op)),
                      .operands = {},
                      .statement = at};
    ir::for_each_input(node, [&](ir::ValueId id) {
      if (const auto found = known.find(id); found != known.end())
        add_operand(tensor.operands, found->second);
    });
    tensor.depth = depth_above(out, tensor.operands);
    for (const ir::ValueId id : node.outputs) add(id, tensor);
  }
  for (const ir::ValueId id : graph.outputs)
    if (const auto found = known.find(id); found != known.end())
      out.results.push_back(found->second);
  return out;
}

}  // namespace t2n::localise
