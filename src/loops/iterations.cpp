// SPDX-License-Identifier: Apache-2.0
#include "src/loops/iterations.h"

#include <algorithm>

#include "src/loops/iteration.h"

namespace t2n::loops {

using ir::Node;
using ir::ValueId;

namespace {

ir::Symbol untagged(const ir::Symbol& symbol, const std::string& tag) {
  const ir::Symbol::AxisSize* const size = symbol.axis_size();
  return size == nullptr ? symbol : ir::Symbol::AxisSize{without_tag(size->value, tag), size->axis};
}

void untag_node(Node& node, const std::string& tag) {
  for (ir::Argument& arg : node.args)
    for (ir::Dim& dim : ir::dims(arg.value))
      dim = dim.substitute([&](const ir::Symbol& symbol) {
        return std::optional(ir::Dim::symbol(untagged(symbol, tag)));
      });
  if (!node.body) return;
  for (ir::Value& each : node.body->values) each.name = without_tag(each.name, tag);
  for (std::string& name : node.body->output_names) name = without_tag(name, tag);
  for (Node& inner : node.body->nodes) untag_node(inner, tag);
}

}  // namespace

std::string without_tag(std::string name, const std::string& tag) {
  const size_t at = tag.empty() ? std::string::npos : name.find(tag);
  if (at != std::string::npos) name.erase(at, tag.size());
  return name;
}

std::vector<std::unordered_set<std::string>> Iterations::names() const {
  std::vector<std::unordered_set<std::string>> out(bounds_.size() - 1);
  for (size_t iteration = 0; iteration < out.size(); ++iteration)
    for (size_t i = bounds_[iteration]; i < bounds_[iteration + 1]; ++i)
      for (const ValueId id : graph_.nodes[i].outputs) out[iteration].insert(value(id).name);
  return out;
}

IterationValues Iterations::column(size_t position, size_t output, int64_t start) const {
  IterationValues out;
  for (int64_t iteration = start; iteration < count(); ++iteration)
    out.push_back(node(iteration, position).outputs[output]);
  return out;
}

const DefSite* Iterations::def_site(ValueId id) const {
  const auto found = def_sites_.find(id);
  return found == def_sites_.end() ? nullptr : &found->second;
}

const std::pair<size_t, size_t>* Iterations::part(ValueId id) const {
  const auto found = parts_.find(id);
  return found == parts_.end() ? nullptr : &found->second;
}

void Iterations::simplify() {
  std::vector<Node> kept;
  std::vector<size_t> bounds = {bounds_[0]};
  for (size_t iteration = 0; iteration + 1 < bounds_.size(); ++iteration) {
    for (size_t i = bounds_[iteration]; i < bounds_[iteration + 1]; ++i) {
      Node& node = graph_.nodes[i];
      for (ir::Argument& arg : node.args)
        ir::change_refs(arg.value, [&](ValueId& id) { id = values_.resolved(id); });
      if (!node.outputs.empty() && !simplify_node(node)) kept.push_back(std::move(node));
    }
    bounds.push_back(bounds_[0] + kept.size());
  }
  graph_.nodes.resize(bounds_[0]);
  std::move(kept.begin(), kept.end(), std::back_inserter(graph_.nodes));
  bounds_ = std::move(bounds);
}

bool Iterations::simplify_node(const Node& node) {
  const std::string_view op = ir::op_name(node.op);
  const auto replace_by = [&](ValueId id) {
    if (id == ir::kNoValue || value(id).dtype != value(node.outputs[0]).dtype ||
        value(id).shape != value(node.outputs[0]).shape)
      return false;
    values_.replace(node.outputs[0], id);
    return true;
  };
  if (op == "aten::slice.Tensor" && is_full_slice(node))
    return replace_by(ir::operand(node, "self"));
  if (op == "aten::slice_scatter" && is_full_slice(node))
    return replace_by(ir::operand(node, "src"));
  return op == "aten::copy" && replace_by(ir::operand(node, "src"));
}

/// True if a node concatenates operand `part` with its own result of the previous iteration, in
/// every iteration, along one axis and in one dtype, and nothing else reads the intermediate
/// results.
bool Iterations::is_growing(size_t position, size_t part) const {
  const Node& last = node(count() - 1, position);
  if (ir::op_name(last.op) != "aten::cat") return false;
  std::vector<int> reads(graph_.values.size());
  for (size_t i = bounds_[0]; i < graph_.nodes.size(); ++i)
    ir::for_each_input(graph_.nodes[i], [&](ValueId id) { ++reads[id]; });
  for (int64_t iteration = 0; iteration < count(); ++iteration) {
    const Node& join = node(iteration, position);
    if (ir::op_name(join.op) != "aten::cat") return false;
    const std::vector<ValueId>& ids = std::get<ir::TensorRefs>(join.args.at(0).value).ids;
    const auto are_equal = [&](ValueId id) {
      return value(id).dtype == value(last.outputs[0]).dtype;
    };
    if (ids.size() != 2 || !std::all_of(ids.begin(), ids.end(), are_equal) ||
        !(join.args.at(1).value == last.args.at(1).value))
      return false;
    const ValueId before = ids[1 - part];
    if (iteration > 0 && before != node(iteration - 1, position).outputs[0]) return false;
    if (reads[join.outputs[0]] != (iteration + 1 < count() ? 1 : 0)) return false;
  }
  return true;
}

std::vector<Growing> Iterations::take_growing() {
  std::vector<Growing> out;
  const size_t size = bounds_[1] - bounds_[0];
  for (size_t iteration = 0; iteration + 1 < bounds_.size(); ++iteration)
    if (bounds_[iteration + 1] - bounds_[iteration] != size) return out;
  std::vector<size_t> taken;
  for (size_t position = 0; position < size; ++position)
    for (const size_t part : {size_t{1}, size_t{0}}) {
      if (!is_growing(position, part)) continue;
      Growing each{node(count() - 1, position), {}, {}};
      const auto operands = [&](int64_t iteration) {
        return std::get<ir::TensorRefs>(node(iteration, position).args[0].value).ids;
      };
      each.parts.push_back(operands(0)[1 - part]);
      for (int64_t iteration = 0; iteration < count(); ++iteration)
        each.parts.push_back(operands(iteration)[part]);
      for (int64_t iteration = 0; iteration + 1 < count(); ++iteration)
        each.grown.push_back(node(iteration, position).outputs[0]);
      if (part == 0) std::reverse(each.parts.begin(), each.parts.end());
      out.push_back(std::move(each));
      taken.push_back(position);
      break;
    }
  if (taken.empty()) return out;
  size_t at = 0;
  const size_t first = bounds_[0];
  std::erase_if(graph_.nodes, [&](const Node&) {
    const size_t i = at++;
    return i >= first && std::find(taken.begin(), taken.end(), (i - first) % size) != taken.end();
  });
  for (size_t iteration = 0; iteration < bounds_.size(); ++iteration)
    bounds_[iteration] -= iteration * taken.size();
  return out;
}

void Iterations::untag(const std::string& tag) {
  for (size_t id = loop_.first_values.front(); id < graph_.values.size(); ++id)
    graph_.values[id].name = without_tag(graph_.values[id].name, tag);
  for (size_t i = bounds_[0]; i < graph_.nodes.size(); ++i) untag_node(graph_.nodes[i], tag);
  const auto attribute = graph_.attributes.find(ir::kSampleSizes);
  if (attribute == graph_.attributes.end()) return;
  ir::Sizes sizes;
  for (const auto& [symbol, size] : std::any_cast<const ir::Sizes&>(attribute->second))
    sizes[untagged(symbol, tag)] = size;
  attribute->second = std::move(sizes);
}

void Iterations::index() {
  for (size_t i = 0; i < bounds_[0]; ++i)
    if (graph_.nodes[i].outputs.size() > 1)
      for (size_t p = 0; p < graph_.nodes[i].outputs.size(); ++p)
        parts_[graph_.nodes[i].outputs[p]] = {i, p};
  for (int64_t iteration = 0; iteration < count(); ++iteration) {
    const size_t begin = bounds_[iteration];
    for (size_t i = begin; i < bounds_[iteration + 1]; ++i)
      for (size_t p = 0; p < graph_.nodes[i].outputs.size(); ++p)
        def_sites_[graph_.nodes[i].outputs[p]] = {iteration, i - begin, p};
  }
  for (size_t i = bounds_[0]; i < graph_.nodes.size(); ++i)
    ir::for_each_input(graph_.nodes[i], [this](ValueId id) { read_.insert(id); });
}

}  // namespace t2n::loops
