// SPDX-License-Identifier: Apache-2.0
// Adds to a graph, and looks things up in it.
#include "ir/graph.h"

namespace t2n::ir {

const Attr* Node::find(std::string_view name) const {
  for (const Argument& arg : args)
    if (arg.name == name) return &arg.value;
  return nullptr;
}

ValueId operand(const Node& node, std::string_view name) {
  const auto* ref = std::get_if<TensorRef>(node.find(name));
  return ref == nullptr ? kNoValue : ref->id;
}

ValueId add_value(Graph& graph, Value value) {
  graph.values.push_back(std::move(value));
  return static_cast<ValueId>(graph.values.size() - 1);
}

ValueId add_constant(Graph& graph, std::string name, Tensor data) {
  Value value;
  value.name = std::move(name);
  value.dtype = data.dtype;
  value.shape = to_shape(data.shape);
  const ValueId id = add_value(graph, std::move(value));
  graph.constants.push_back({id, std::move(data)});
  return id;
}

std::vector<std::string> input_names(const Graph& graph) {
  std::vector<std::string> out;
  for (const ValueId id : graph.inputs) out.push_back(graph.values[id].name);
  return out;
}

std::vector<int> constant_index(const Graph& graph) {
  std::vector<int> out(graph.values.size(), -1);
  for (size_t i = 0; i < graph.constants.size(); ++i)
    out.at(graph.constants[i].value) = static_cast<int>(i);
  return out;
}

std::vector<int> producers(const Graph& graph) {
  std::vector<int> out(graph.values.size(), -1);
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    for (const ValueId id : graph.nodes[i].outputs) out.at(id) = static_cast<int>(i);
  return out;
}

std::vector<int> use_counts(const Graph& graph) {
  std::vector<int> out(graph.values.size());
  const auto count = [&](ValueId id) { ++out.at(id); };
  for (const Node& node : graph.nodes) for_each_input(node, count);
  for (const ValueId id : graph.outputs) count(id);
  return out;
}

const Sizes& sample_sizes(const Graph& graph) {
  static const Sizes kNone;
  const auto found = graph.attributes.find(kSampleSizes);
  return found == graph.attributes.end() ? kNone : std::any_cast<const Sizes&>(found->second);
}

namespace {

const std::vector<Comparison>& comparisons(const Graph& graph, const char* key) {
  static const std::vector<Comparison> kNone;
  const auto found = graph.attributes.find(key);
  return found == graph.attributes.end()
             ? kNone
             : std::any_cast<const std::vector<Comparison>&>(found->second);
}

}  // namespace

const std::vector<Comparison>& relations(const Graph& graph) {
  return comparisons(graph, kRelations);
}

const std::vector<Comparison>& runtime_assertions(const Graph& graph) {
  return comparisons(graph, kRuntimeAssertions);
}

}  // namespace t2n::ir
