#include "src/compress/explain/unquantised_weights.h"

#include <algorithm>
#include <map>
#include <optional>

#include "src/compress/skipped_weights.h"
#include "src/diag/error.h"
#include "src/passes/layers.h"

namespace t2n::compress {
namespace {

using ir::Graph;
using ir::Node;
using ir::ValueId;

/// A constant that should be compressed, and the operation whose settings request it.
struct WeightRequest {
  ValueId value = ir::kNoValue;
  int64_t bytes = 0;
  const Node* reader = nullptr;
  WeightSettings settings;
};

/// A graph, prepared for queries about many values.
struct View {
  explicit View(const Graph& graph_in)
      : graph(graph_in), is_known(passes::known_values(graph_in)), readers(graph_in.values.size()) {
    for (const Node& node : graph.nodes)
      ir::for_each_input(node, [&](ValueId id) {
        std::vector<const Node*>& nodes = readers[id];
        if (nodes.empty() || nodes.back() != &node) nodes.push_back(&node);
      });
  }

  const Graph& graph;
  std::vector<bool> is_known;
  std::vector<std::vector<const Node*>> readers;  ///< by value, in execution order
};

/// The first reader of a value for which settings request smaller weights.
std::optional<WeightRequest> request_of_reader(const View& view, const ir::Constant& constant,
                                               const Settings& settings) {
  for (const Node* node : view.readers[constant.value]) {
    const NodeSettings requested = settings.of(view.graph, *node);
    if (!requested.weights) continue;
    const int64_t bytes = constant.data.elements() * ir::dtype_size(constant.data.dtype);
    return WeightRequest{constant.value, bytes, node, *requested.weights};
  }
  return {};
}

bool is_matrix(const Graph& graph, const ir::Constant& constant) {
  return ir::is_float(constant.data.dtype) && constant.data.shape.size() >= 2 &&
         !graph.values[constant.value].quant;
}

bool is_weight_of(const std::optional<passes::Layer>& layer, ValueId id) {
  return layer && std::any_of(layer->weights.begin(), layer->weights.end(),
                              [&](const passes::Weight& each) { return each.value == id; });
}

/// True for large constants, and for weights of layers.
bool is_worth_reporting(const View& view, const WeightRequest& request, int64_t elements) {
  constexpr int64_t kFewest = 256;
  return elements >= kFewest ||
         is_weight_of(passes::layer_of(view.graph, *request.reader, view.is_known), request.value);
}

/// True for operands of layers that are not weights, such as a recurrent layer's initial state.
bool is_other_operand(const View& view, const WeightRequest& request) {
  const auto layer = passes::layer_of(view.graph, *request.reader, view.is_known);
  return layer && !request.reader->body && !is_weight_of(layer, request.value);
}

/// `noted`: what passes noted.
std::string reason(const View& view, const WeightRequest& request, bool is_body,
                   const SkippedWeights& noted) {
  const std::string_view op = ir::op_name(request.reader->op);
  const ir::Value& value = view.graph.values[request.value];
  const bool is_q4 = request.settings.format == Format::q4_0;
  if (value.dtype != ir::DType::f32 && !(is_q4 && value.dtype == ir::DType::f16))
    return cat("its elements are ", ir::dtype_name(value.dtype));
  const bool is_layer_weight =
      is_weight_of(passes::layer_of(view.graph, *request.reader, view.is_known), request.value);
  if (is_body) return "it is a constant of a loop's body";
  if (!is_layer_weight && request.reader->body)
    return "not all of its readers inside the loop are layers";
  if (!is_layer_weight) return cat(op, " reads it and is not a layer");
  if (is_q4 && request.reader->body) return "tract does not support 4-bit blocks inside a loop";
  if (const auto found = noted.find(value.name); found != noted.end()) return found->second;
  return view.readers[request.value].size() == 1 ? "no pass compressed it"
                                                 : "other operations read it as well";
}

void collect(const Graph& before, const Graph& stored, const Settings& settings, bool is_body,
             std::vector<UnquantisedWeight>& out) {
  std::map<std::string, ir::DType> floats;
  for (const ir::Constant& constant : stored.constants)
    if (is_matrix(stored, constant))
      floats[stored.values[constant.value].name] = constant.data.dtype;
  const View view(before);
  const SkippedWeights noted = skipped_weights(stored);
  for (const ir::Constant& constant : before.constants) {
    const ir::Value& value = before.values[constant.value];
    const auto now = floats.find(value.name);
    if (!is_matrix(before, constant) || now == floats.end() || now->second != value.dtype) continue;
    const auto request = request_of_reader(view, constant, settings);
    if (!request || is_other_operand(view, *request)) continue;
    if (!is_worth_reporting(view, *request, constant.data.elements())) continue;
    const bool is_half = request->settings.format == Format::f16;
    if (is_half && value.dtype == ir::DType::f16) continue;
    out.push_back({value.name, ir::node_address(before, *request->reader), request->bytes,
                   reason(view, *request, is_body, noted)});
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
