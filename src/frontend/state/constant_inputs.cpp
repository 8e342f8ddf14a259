// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/state/constant_inputs.h"

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "src/frontend/load/convert.h"

namespace t2n::trace {
namespace {

using Lookup = std::function<std::optional<ir::Dim>(const ir::Symbol&)>;

void replace_sizes(ir::Graph& graph, const Lookup& lookup) {
  for (ir::Node& node : graph.nodes) {
    for (ir::Argument& argument : node.args)
      for (ir::Dim& dim : ir::dims(argument.value)) dim = dim.substitute(lookup);
    if (!node.body) continue;
    auto body = std::make_shared<ir::Graph>(*node.body);
    replace_sizes(*body, lookup);
    node.body = std::move(body);
  }
}

}  // namespace

void make_constant(ir::Graph& graph, ir::ValueId input, const std::string& path,
                   const at::Tensor& tensor) {
  const ir::Value before = graph.values[input];
  replace_sizes(graph, [&](const ir::Symbol& symbol) -> std::optional<ir::Dim> {
    const ir::Symbol::AxisSize* size = symbol.axis_size();
    if (size == nullptr || size->value != before.name) return std::nullopt;
    return before.shape.at(size->axis);
  });
  std::erase(graph.inputs, input);
  graph.values[input].name = path;
  graph.constants.push_back({input, copy(tensor)});
}

}  // namespace t2n::trace
