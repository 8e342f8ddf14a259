// SPDX-License-Identifier: Apache-2.0
#include "src/compress/explain/unquantised_weights.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "src/compress/skipped_weights.h"
#include "src/diag/error.h"
#include "src/passes/layers.h"

namespace t2n::compress {
namespace {

using ir::Graph;
using ir::Node;
using ir::ValueId;

/// A graph, prepared for queries about many constants.
struct View {
  explicit View(const Graph& graph_in, bool is_body_in, SkippedWeights noted_in)
      : graph(graph_in),
        is_body(is_body_in),
        noted(std::move(noted_in)),
        is_known(passes::known_values(graph_in)),
        readers(graph_in.values.size()) {
    for (const Node& node : graph.nodes)
      ir::for_each_input(node, [&](ValueId id) {
        std::vector<const Node*>& nodes = readers[id];
        if (nodes.empty() || nodes.back() != &node) nodes.push_back(&node);
      });
  }

  const Graph& graph;
  bool is_body;
  SkippedWeights noted;  ///< what passes noted
  std::vector<bool> is_known;
  std::vector<std::vector<const Node*>> readers;  ///< by value, in execution order
};

bool is_matrix(const Graph& graph, const ir::Constant& constant) {
  return ir::is_float(constant.data.dtype) && constant.data.shape.size() >= 2 &&
         !graph.values[constant.value].quant;
}

std::string reason(const View& view, ValueId id, const Node& reader, bool is_weight, bool is_q4) {
  const ir::Value& value = view.graph.values[id];
  if (value.dtype != ir::DType::f32 && !(is_q4 && value.dtype == ir::DType::f16))
    return cat("its elements are ", ir::dtype_name(value.dtype));
  if (view.is_body) return "it is a constant of a loop's body";
  if (!is_weight && reader.body) return "not all of its readers inside the loop are layers";
  if (!is_weight) return cat(ir::op_name(reader.op), " reads it and is not a layer");
  if (is_q4 && reader.body) return "tract does not support 4-bit blocks inside a loop";
  if (const auto found = view.noted.find(value.name); found != view.noted.end())
    return found->second;
  return view.readers[id].size() == 1 ? "no pass compressed it"
                                      : "other operations read it as well";
}

/// A constant that is still the same, if settings of a reader request a smaller one.
std::optional<UnquantisedWeight> unquantised(const View& view, const ir::Constant& constant,
                                             const Settings& settings) {
  const ValueId id = constant.value;
  const ir::Value& value = view.graph.values[id];
  for (const Node* node : view.readers[id]) {
    const auto requested = settings.of(view.graph, *node).weights;
    if (!requested) continue;
    const auto layer = passes::layer_of(view.graph, *node, view.is_known);
    const bool is_weight =
        layer && std::any_of(layer->weights.begin(), layer->weights.end(),
                             [&](const passes::Weight& each) { return each.value == id; });
    // Other operands of layers are such as a recurrent layer's initial state.
    const bool is_other_operand = layer && !node->body && !is_weight;
    constexpr int64_t kFewest = 256;
    const bool is_half = requested->format == Format::f16 && value.dtype == ir::DType::f16;
    if (is_other_operand || is_half || (!is_weight && constant.data.elements() < kFewest))
      return std::nullopt;
    const bool is_q4 = requested->format == Format::q4_0;
    return UnquantisedWeight{value.name, ir::node_address(view.graph, *node),
                             constant.data.elements() * ir::dtype_size(constant.data.dtype),
                             reason(view, id, *node, is_weight, is_q4)};
  }
  return std::nullopt;
}

void collect(const Graph& before, const Graph& stored, const Settings& settings, bool is_body,
             std::vector<UnquantisedWeight>& out) {
  std::map<std::string, ir::DType> floats;
  for (const ir::Constant& constant : stored.constants)
    if (is_matrix(stored, constant))
      floats[stored.values[constant.value].name] = constant.data.dtype;
  const View view(before, is_body, skipped_weights(stored));
  for (const ir::Constant& constant : before.constants) {
    const ir::Value& value = before.values[constant.value];
    const auto now = floats.find(value.name);
    if (!is_matrix(before, constant) || now == floats.end() || now->second != value.dtype) continue;
    if (auto found = unquantised(view, constant, settings)) out.push_back(std::move(*found));
  }
}

}  // namespace

std::vector<UnquantisedWeight> unquantised_weights(const Graph& before, const Graph& stored,
                                                   const Settings& settings) {
  std::vector<UnquantisedWeight> out;
  collect(before, stored, settings, false, out);
  for (const Node& node : before.nodes) {
    if (!node.body) continue;
    const auto same = std::find_if(stored.nodes.begin(), stored.nodes.end(), [&](const Node& each) {
      return each.body && ir::node_address(stored, each) == ir::node_address(before, node);
    });
    if (same != stored.nodes.end()) collect(*node.body, *same->body, settings, true, out);
  }
  return out;
}

std::vector<std::string> activations_in_floats(const Graph& before, const Settings& settings) {
  const std::vector<bool> known = passes::known_values(before);
  std::vector<std::string> out;
  for (const Node& node : before.nodes) {
    const auto layer = passes::layer_of(before, node, known);
    if (!layer || passes::is_lookup(node) || !settings.of(before, node).activations) continue;
    const bool has_f32 =
        std::any_of(layer->activations.begin(), layer->activations.end(),
                    [&](ValueId id) { return before.values[id].dtype == ir::DType::f32; });
    if (has_f32) continue;
    const std::string module = ir::module_path(before, node.scope);
    out.push_back(module.empty() ? ir::node_address(before, node) : module);
  }
  return out;
}

}  // namespace t2n::compress
