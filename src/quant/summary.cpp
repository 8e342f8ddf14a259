// SPDX-License-Identifier: Apache-2.0
#include "src/quant/summary.h"

#include <algorithm>
#include <set>

#include "ir/op_traits.h"
#include "src/diag/error.h"

namespace t2n::quant {
namespace {

using ir::Graph;
using ir::Node;
using ir::ValueId;

const ir::Value& value_of(const Graph& graph, ValueId id) { return graph.values.at(id); }

ValueId first_operand(const Node& node) {
  for (const char* name : {"self", "input"})
    if (const ir::Attr* attr = node.find(name))
      if (const auto* ref = std::get_if<ir::TensorRef>(attr)) return ref->id;
  return ir::kNoValue;
}

bool is_fake_quantisation(std::string_view name) { return name.starts_with("fake_quantize_per_t"); }

/// The quantum of a value, or the value that has the same quantum.
struct Origin {
  ValueId from = ir::kNoValue;
  std::optional<double> quantum = {};
};

Origin origin(const Graph& graph, const Node& node) {
  const ValueId x = first_operand(node);
  const std::string_view short_name = ir::op_short_name(node.op);
  if (short_name == "dequantize" && x != ir::kNoValue) {
    const std::optional<ir::QuantInfo>& info = value_of(graph, x).quant;
    if (info && !info->is_per_channel()) return {ir::kNoValue, info->scales.at(0)};
  }
  if (short_name == "int_repr") return {ir::kNoValue, 1};
  if (is_fake_quantisation(short_name))
    if (const ir::Attr* scale = node.find("scale"); scale && std::get_if<double>(scale))
      return {ir::kNoValue, std::get<double>(*scale)};
  const std::string_view name = ir::op_name(node.op);
  const auto is_float = [&](ValueId id) { return ir::is_float(value_of(graph, id).dtype); };
  const bool is_moved = x != ir::kNoValue && is_float(x) == is_float(node.outputs.at(0));
  if (is_moved && ir::has_trait(name.substr(0, name.find('.')), ir::OpTrait::keeps_values))
    return {x, {}};
  return {};
}

/// Pairs of a dequantisation and a quantisation with nothing between them.
size_t count_redundant_pairs(const Graph& graph, const std::vector<int>& producer) {
  return std::count_if(graph.nodes.begin(), graph.nodes.end(), [&](const Node& node) {
    if (!ir::op_short_name(node.op).starts_with("quantize_per_")) return false;
    const ValueId x = first_operand(node);
    const int index = x == ir::kNoValue ? -1 : producer.at(x);
    if (index < 0) return false;
    return ir::op_short_name(graph.nodes[index].op) == "dequantize";
  });
}

/// Those of nested graphs, too.
size_t count_fake_quantisers(const Graph& graph) {
  size_t out = 0;
  for (const Node& node : graph.nodes) {
    const std::string_view name = ir::op_name(node.op);
    const bool is_fused = name.find("_obs_fq_helper") != std::string_view::npos;
    out += is_fused || name.find("fake_quant") != std::string_view::npos ? 1 : 0;
    if (node.body) out += count_fake_quantisers(*node.body);
  }
  return out;
}

/// Embedding tables are plain integers with separate scales.
int bits_of_table(const Node& node) {
  if (!ir::op_name(node.op).starts_with("quantized::embedding")) return 0;
  return ir::op_name(node.op).find("4bit") != std::string_view::npos ? 4 : 8;
}

void count_weights(const ir::Shape& shape, int bits, Summary& out) {
  const int64_t elements = ir::element_count(ir::static_shape(shape));
  out.weights += elements;
  out.weight_bytes += (elements * bits + 7) / 8;
}

}  // namespace

Summary summarise(const Graph& graph) {
  Summary out;
  const std::vector<int> constants = ir::constant_index(graph);
  for (size_t i = 0; i < graph.values.size(); ++i) {
    const ir::Value& value = graph.values[i];
    if (!value.quant) continue;
    out.tensors.push_back({value.name, value.shape, *value.quant, constants[i] >= 0});
    if (constants[i] >= 0) count_weights(value.shape, value.quant->bits, out);
  }
  std::set<ValueId> tables;
  for (const Node& node : graph.nodes)
    if (const int bits = bits_of_table(node); bits > 0)
      if (const auto* table = std::get_if<ir::TensorRef>(node.find("weight")))
        if (tables.insert(table->id).second)
          count_weights(value_of(graph, table->id).shape, bits, out);
  std::stable_partition(out.tensors.begin(), out.tensors.end(),
                        [](const QuantisedTensor& tensor) { return tensor.is_stored; });
  out.redundant_pairs = count_redundant_pairs(graph, ir::producers(graph));
  out.fake_quantisers = count_fake_quantisers(graph);
  return out;
}

std::string info_str(const ir::QuantInfo& info) {
  return cat(info.bits, " bits, ", info.is_signed ? "signed" : "unsigned",
             info.narrow_range ? ", narrow range" : "",
             info.is_per_channel()
                 ? cat(", per channel (", info.scales.size(), " along axis ", info.axis, ")")
                 : ", per tensor");
}

std::optional<double> quantum(const Graph& graph, size_t output) {
  const std::vector<int> producer = ir::producers(graph);
  ValueId at = graph.outputs.at(output);
  if (value_of(graph, at).quant) return 1;
  while (at != ir::kNoValue) {
    const int index = producer.at(at);
    if (index < 0) return {};
    const Origin found = origin(graph, graph.nodes[index]);
    if (found.quantum) return found.quantum;
    at = found.from;
  }
  return {};
}

}  // namespace t2n::quant
