// SPDX-License-Identifier: Apache-2.0
// The pass `lift-weights`: constants of loops' bodies that could be weights become constants of the
// outer graph, which the loop captures, so that they can be compressed.
#include <algorithm>
#include <memory>

#include "ir/scan.h"
#include "src/compress/passes.h"
#include "src/passes/rewrite.h"

namespace t2n::compress {
namespace {

bool is_liftable(const ir::Constant& constant) {
  return ir::is_float(constant.data.dtype) && constant.data.shape.size() >= 2;
}

/// Moves the constants of one body. True if there were any.
bool lift(ir::Graph& graph, ir::Node& node, passes::FreshNames& names) {
  const auto count =
      std::count_if(node.body->constants.begin(), node.body->constants.end(), is_liftable);
  if (count == 0) return false;
  auto body = std::make_shared<ir::Graph>(*node.body);
  ir::Scan scan = ir::read_scan(node);
  for (const ir::Constant& constant : body->constants) {
    if (!is_liftable(constant)) continue;
    ir::Value value = body->values[constant.value];
    value.name = names.take(value.name);
    const ir::ValueId outside = ir::add_value(graph, std::move(value));
    graph.constants.push_back({outside, constant.data});
    scan.captured.push_back(outside);
    body->inputs.push_back(constant.value);
  }
  std::erase_if(body->constants, is_liftable);
  node.args = ir::scan_arguments(scan);
  node.body = std::move(body);
  return true;
}

}  // namespace

bool lift_weights(ir::Graph& graph, const passes::PassContext& /*context*/) {
  passes::FreshNames names(graph);
  bool changed = false;
  for (ir::Node& node : graph.nodes)
    if (ir::is_scan(node)) changed |= lift(graph, node, names);
  return changed;
}

}  // namespace t2n::compress
