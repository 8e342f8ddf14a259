// SPDX-License-Identifier: Apache-2.0
#include "src/dynamic/level.h"

namespace t2n::dynamic {

Names names_of(const ir::Graph& graph) {
  Names out;
  for (size_t i = 0; i < graph.values.size(); ++i)
    out.emplace(graph.values[i].name, static_cast<ir::ValueId>(i));
  return out;
}

std::optional<ir::Dim> traced_size(const Symbol& symbol, const ir::Graph& graph,
                                   const Names& names) {
  const Symbol::AxisSize* size = symbol.axis_size();
  const auto value = size == nullptr ? names.end() : names.find(size->value);
  if (value == names.end()) return std::nullopt;
  const ir::Shape& shape = graph.values[value->second].shape;
  const size_t axis = size->axis;
  return axis < shape.size() ? std::optional<ir::Dim>(shape[axis]) : std::nullopt;
}

InferredSizes::InferredSizes(const ir::Graph& graph) { add(graph); }

void InferredSizes::add(const ir::Graph& graph) {
  graphs_.emplace_back(&graph, names_of(graph));
  for (const ir::Node& node : graph.nodes)
    if (node.body) add(*node.body);
}

ir::Dim InferredSizes::over_axes(ir::Dim dim) const {
  for (const auto& [graph, names] : graphs_)
    dim = dim.substitute([&](const Symbol& symbol) { return traced_size(symbol, *graph, names); });
  return dim;
}

Level::Level(ir::Graph& result, std::vector<const ir::Graph*> probes, const Level* outer)
    : result_(&result), probes_(std::move(probes)), outer_(outer) {
  for (const ir::Graph* graph : probes_) names_.push_back(names_of(*graph));
}

const ir::Shape& Level::shape(size_t probe, ir::ValueId value) const {
  return probes_[probe]->values[value].shape;
}

std::optional<ir::Dim> Level::find(const Symbol& symbol) const {
  if (const auto size = traced_size(symbol, *result_, names_[0])) return size;
  return outer_ == nullptr ? std::nullopt : outer_->find(symbol);
}

std::optional<ir::Dim> Level::find(size_t probe, const Symbol& symbol) const {
  if (const auto size = traced_size(symbol, *probes_[probe], names_[probe])) return size;
  const Sizes& noted = ir::sample_sizes(*probes_[probe]);
  if (const auto found = noted.find(symbol); found != noted.end()) return found->second;
  return outer_ == nullptr ? std::nullopt : outer_->find(probe, symbol);
}

ir::Dim Level::resolved(const ir::Dim& dim) const {
  return dim.substitute([&](const Symbol& symbol) { return find(symbol); });
}

std::optional<int64_t> Level::number(size_t probe, const ir::Dim& dim) const {
  const ir::Dim size = dim.substitute([&](const Symbol& symbol) { return find(probe, symbol); });
  return size.is_constant() ? std::optional<int64_t>(size.value()) : std::nullopt;
}

}  // namespace t2n::dynamic
