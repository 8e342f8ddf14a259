// SPDX-License-Identifier: Apache-2.0
#include "src/compress/layer_table.h"

#include <algorithm>
#include <set>
#include <unordered_set>

#include "ir/bit_fields.h"
#include "src/passes/known.h"

namespace t2n::compress {

using ir::Graph;
using ir::Node;
using ir::Tensor;
using ir::ValueId;

namespace {

/// Without the integers themselves.
int64_t scale_bytes(const ir::Value& integers) {
  if (!integers.quant || integers.quant->scales.size() < 2) return 0;
  const std::vector<int64_t>& points = integers.quant->zero_points;
  const bool is_shared =
      std::count(points.begin(), points.end(), points.at(0)) == std::ssize(points);
  constexpr int64_t kFloat = 4;
  return kFloat * std::ssize(integers.quant->scales) * (is_shared ? 1 : 2);
}

}  // namespace

LayerTable::LayerTable(const Graph& graph, ir::Evaluator evaluate, Storage storage)
    : graph_(graph),
      evaluate_(std::move(evaluate)),
      storage_(storage),
      producers_(ir::producers(graph)),
      constants_(ir::constant_index(graph)),
      known_(passes::known_values(graph)) {
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    if (passes::layer_of(graph, graph.nodes[i], known_))
      at_.emplace(ir::node_address(graph, graph.nodes[i]), i);
}

std::vector<std::string> LayerTable::addresses() const {
  std::vector<std::pair<size_t, std::string>> ordered;
  for (const auto& [address, node] : at_) ordered.emplace_back(node, address);
  std::sort(ordered.begin(), ordered.end());
  std::vector<std::string> out;
  for (auto& [node, address] : ordered) out.push_back(std::move(address));
  return out;
}

std::optional<passes::Layer> LayerTable::layer(const std::string& address) const {
  const auto found = at_.find(address);
  if (found == at_.end()) return std::nullopt;
  return passes::layer_of(graph_, graph_.nodes[found->second], known_);
}

const std::string& LayerTable::result(const std::string& address) const {
  const Node& node = graph_.nodes[at_.at(address)];
  return graph_.values[node.outputs.at(0)].name;
}

std::string LayerTable::address_of_result(const std::string& result) const {
  for (const auto& [address, node] : at_)
    if (this->result(address) == result) return address;
  return "";
}

std::string LayerTable::module(const std::string& address) const {
  return ir::module_path(graph_, graph_.nodes[at_.at(address)].scope);
}

std::optional<Tensor> LayerTable::value(ValueId id) const {
  const size_t at = id;
  if (constants_[at] >= 0) {
    const Tensor& data = graph_.constants[constants_[at]].data;
    if (!data.is_loaded()) return std::nullopt;
    return data;
  }
  if (producers_[at] < 0) return std::nullopt;
  const Node& node = graph_.nodes[producers_[at]];
  std::map<ValueId, Tensor> operands;
  bool known = true;
  ir::for_each_input(node, [&](ValueId operand) {
    if (operands.contains(operand) || !known) return;
    auto tensor = value(operand);
    known = tensor.has_value();
    if (tensor) operands.emplace(operand, std::move(*tensor));
  });
  if (!known) return std::nullopt;
  const auto results = evaluate_(node, [&](ValueId operand) { return operands.at(operand); });
  const auto output = std::find(node.outputs.begin(), node.outputs.end(), id);
  return results.at(output - node.outputs.begin());
}

std::pair<int64_t, ValueId> LayerTable::stored(ValueId id) const {
  std::set<ValueId> none;
  return stored(id, none);
}

std::pair<int64_t, ValueId> LayerTable::stored(ValueId id, std::set<ValueId>& counted) const {
  std::set<ValueId> seen;
  std::vector<ValueId> pending = {id};
  int64_t bytes = 0;
  int64_t most = -1;
  ValueId largest = ir::kNoValue;
  while (!pending.empty()) {
    const ValueId at = pending.back();
    pending.pop_back();
    if (!seen.insert(at).second) continue;
    const int index = constants_[at];
    if (index >= 0) {
      const Tensor& data = graph_.constants[index].data;
      if (counted.insert(at).second)
        bytes += constant_bytes(graph_, graph_.constants[index], storage_);
      if (data.elements() > most) largest = at;
      most = std::max(most, data.elements());
    } else if (const int node = producers_[at]; node >= 0) {
      ir::for_each_input(graph_.nodes[node], [&](ValueId operand) { pending.push_back(operand); });
    }
  }
  return {bytes, largest};
}

int64_t constant_bytes(const Graph& graph, const ir::Constant& constant, Storage storage) {
  const ir::Value& value = graph.values[constant.value];
  const int64_t count = constant.data.elements();
  const int64_t size = ir::dtype_size(constant.data.dtype);
  const bool has_fields = value.quant && size == 1 && storage == Storage::bit_fields;
  const int64_t bytes = has_fields ? ir::integer_bytes(count, value.quant->bits) : count * size;
  return bytes + scale_bytes(value);
}

void keep_weight_names(const Graph& before, Graph& after) {
  std::vector<std::pair<ValueId, std::string>> renames;
  {
    const LayerTable first(before);
    const LayerTable now(after);
    for (const std::string& address : first.addresses()) {
      const auto a = first.layer(address);
      const auto b = now.layer(address);
      if (!b || a->weights.size() != b->weights.size()) continue;
      for (size_t i = 0; i < a->weights.size(); ++i) {
        const ValueId stored = now.stored(b->weights[i].value).second;
        const ValueId weight = a->weights[i].value;
        if (stored != ir::kNoValue) renames.emplace_back(stored, before.values[weight].name);
      }
    }
  }
  std::unordered_set<std::string> taken;
  for (const ir::Value& value : after.values) taken.insert(value.name);
  for (const auto& [id, name] : renames)
    if (taken.insert(name).second) after.values[id].name = name;
}

}  // namespace t2n::compress
