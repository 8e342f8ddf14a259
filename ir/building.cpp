// SPDX-License-Identifier: Apache-2.0
#include "ir/building.h"

#include <algorithm>

namespace t2n::ir {

std::string Naming::unique(const std::string& base) {
  if (taken_.insert(base).second) return base;
  // The counter makes a long run of equal names linear.
  for (int& suffix = next_suffix_[base];;) {
    std::string name = base + "_" + std::to_string(++suffix);
    if (taken_.insert(name).second) return name;
  }
}

std::string Naming::numbered(const std::string& stem) {
  for (int& next = next_suffix_[stem];;) {
    std::string name = stem + std::to_string(next++);
    if (taken_.insert(name).second) return name;
  }
}

std::string Naming::value(std::string base) {
  if (const size_t at = base.find(suffix_); at != std::string::npos) base.erase(at, suffix_.size());
  return unique(base) + suffix_;
}

std::string Naming::result(const Graph& graph, const Node& node) {
  const std::string path = module_path(graph, node.scope);
  return value((path.empty() ? "" : path + ".") + std::string(op_short_name(node.op)));
}

void Naming::take(const Graph& graph) {
  for (const Value& value : graph.values) take(value.name);
  for (const Node& node : graph.nodes) {
    int& next = calls_[{node.scope, std::string(op_short_name(node.op))}];
    next = std::max(next, node.call + 1);
  }
}

Dim size_symbol(Graph& graph, ValueId value, int64_t axis) {
  const Value& owner = graph.values[value];
  const Symbol symbol = Symbol::AxisSize{owner.name, axis};
  std::any& samples = graph.attributes[kSampleSizes];
  if (!samples.has_value()) samples = Sizes();
  std::any_cast<Sizes&>(samples)[symbol] = owner.shape[axis].value();
  return Dim::symbol(symbol);
}

}  // namespace t2n::ir
