#include "src/compress/unquantised_weights.h"

#include <algorithm>
#include <map>
#include <optional>

#include "src/compress/layers.h"
#include "src/compress/q4_0.h"
#include "src/compress/q4_readers.h"
#include "src/compress/quantisers.h"
#include "src/diag/error.h"

namespace t2n::compress {
namespace {

using ir::Graph;
using ir::Node;
using ir::ValueId;

/// A constant that should be smaller, and the operation that asks for it.
struct EngineRequest {
  ValueId value = ir::kNoValue;
  int64_t bytes = 0;
  const Node* reader = nullptr;
  WeightSettings settings;
  const ir::Tensor* data = nullptr;
};

/// A graph, prepared for queries about many values.
struct View {
  explicit View(const Graph& graph_in)
      : graph(graph_in), is_known(known_values(graph_in)), readers(graph_in.values.size()) {
    for (const Node& node : graph.nodes)
      ir::for_each_input(node, [&](ValueId id) {
        std::vector<const Node*>& of = readers[static_cast<size_t>(id)];
        if (of.empty() || of.back() != &node) of.push_back(&node);
      });
  }

  const Graph& graph;
  std::vector<bool> is_known;
  std::vector<std::vector<const Node*>> readers;  ///< by value, in execution order
};

/// The first reader of a value for which settings ask for smaller weights.
std::optional<EngineRequest> wanted_by_reader(const View& view, const ir::Constant& constant,
                                              const Settings& settings) {
  for (const Node* node : view.readers[static_cast<size_t>(constant.value)]) {
    const NodeSettings of = settings.of(view.graph, *node);
    if (!of.weights) continue;
    const int64_t bytes = constant.data.elements() * ir::dtype_size(constant.data.dtype);
    return EngineRequest{constant.value, bytes, node, *of.weights, &constant.data};
  }
  return {};
}

bool is_matrix(const Graph& graph, const ir::Constant& constant) {
  return ir::is_float(constant.data.dtype) && constant.data.shape.size() >= 2 &&
         !graph.values[static_cast<size_t>(constant.value)].quant;
}

bool is_weight_of(const std::optional<Layer>& layer, ValueId id) {
  return layer && std::any_of(layer->weights.begin(), layer->weights.end(),
                              [&](const Weight& each) { return each.value == id; });
}

/// What is neither large nor a layer's counts for nothing.
bool is_worth_saying(const View& view, const EngineRequest& wanted, int64_t elements) {
  constexpr int64_t kFewest = 256;
  return elements >= kFewest ||
         is_weight_of(layer_of(view.graph, *wanted.reader, view.is_known), wanted.value);
}

/// What layers are given besides: the state that a recurrent one begins with.
bool is_other_operand(const View& view, const EngineRequest& wanted) {
  const auto layer = layer_of(view.graph, *wanted.reader, view.is_known);
  return layer && !wanted.reader->body && !is_weight_of(layer, wanted.value);
}

/// Why a weight that can be a layer's is not packed.
std::string reason_of_blocks(const Graph& graph, ValueId weight, std::string_view op) {
  const Q4Readers readers = find_readers(graph, weight);
  if (readers.all.empty()) return cat("tract reads no blocks of 4 bits in ", op);
  if (!readers.problem.empty()) return readers.problem;
  ir::Ints shape;
  for (const ir::Dim& dim : graph.values[static_cast<size_t>(weight)].shape)
    shape.push_back(dim.value());
  if (readers.is_transposed) std::swap(shape.at(0), shape.at(1));
  if (!fits_q4_0(shape)) return "its rows hold no multiple of 32 elements";
  return "scales of 16 bits do not hold its numbers, or not all that read it read blocks";
}

std::string reason(const View& view, const EngineRequest& wanted, bool is_body) {
  const std::string_view op = ir::op_name(wanted.reader->op);
  const ir::DType dtype = view.graph.values[static_cast<size_t>(wanted.value)].dtype;
  const bool is_q4 = wanted.settings.format == Format::q4_0;
  if (dtype != ir::DType::f32 && !(is_q4 && dtype == ir::DType::f16))
    return cat("its elements are ", ir::dtype_name(dtype));
  const auto layer = layer_of(view.graph, *wanted.reader, view.is_known);
  const bool is_of_layer = is_weight_of(layer, wanted.value);
  if (is_body) return "it is a constant of a loop's body";
  if (!is_of_layer && wanted.reader->body)
    return "what reads it inside of the loop is no layer, or not all of it is";
  if (!is_of_layer) return cat(op, " reads it, which is no layer");
  if (is_q4 && wanted.reader->body) return "tract reads no blocks of 4 bits inside of a loop";
  if (is_q4) return reason_of_blocks(view.graph, wanted.value, op);
  constexpr int kMostBits = 8;
  if (wanted.settings.format == Format::integers && wanted.settings.grid.bits > kMostBits)
    return cat("integers of ", wanted.settings.grid.bits, " bits are not stored as such");
  for (const Weight& weight : layer->weights)
    if (weight.value == wanted.value)
      if (std::string why = unfit_reason(*wanted.data, weight.channel_axis, wanted.settings);
          !why.empty())
        return why;
  return view.readers[static_cast<size_t>(wanted.value)].size() == 1
             ? "no pass made it smaller"
             : "other operations read it, too";
}

void collect(const Graph& before, const Graph& stored, const Settings& settings, bool is_body,
             std::vector<UnquantisedWeight>& out) {
  std::map<std::string, ir::DType> floats;
  for (const ir::Constant& constant : stored.constants)
    if (is_matrix(stored, constant))
      floats[stored.values[static_cast<size_t>(constant.value)].name] = constant.data.dtype;
  const View view(before);
  for (const ir::Constant& constant : before.constants) {
    const ir::Value& value = before.values[static_cast<size_t>(constant.value)];
    const auto now = floats.find(value.name);
    if (!is_matrix(before, constant) || now == floats.end() || now->second != value.dtype) continue;
    const auto wanted = wanted_by_reader(view, constant, settings);
    if (!wanted || is_other_operand(view, *wanted)) continue;
    if (!is_worth_saying(view, *wanted, constant.data.elements())) continue;
    const bool is_half = wanted->settings.format == Format::f16;
    if (is_half && value.dtype == ir::DType::f16) continue;
    out.push_back({value.name, ir::node_address(before, *wanted->reader), wanted->bytes,
                   reason(view, *wanted, is_body)});
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
  const std::vector<bool> known = known_values(before);
  std::vector<std::string> out;
  for (const Node& node : before.nodes) {
    const auto layer = layer_of(before, node, known);
    const std::string_view name = ir::op_short_name(ir::op_name(node.op));
    if (!layer || name.starts_with("embedding") || !settings.of(before, node).activations) continue;
    const bool is_given = std::any_of(
        layer->activations.begin(), layer->activations.end(),
        [&](ValueId id) { return before.values[static_cast<size_t>(id)].dtype == ir::DType::f32; });
    if (is_given) continue;
    const std::string module = ir::module_path(before, node.scope);
    out.push_back(module.empty() ? ir::node_address(before, node) : module);
  }
  return out;
}

}  // namespace t2n::compress
