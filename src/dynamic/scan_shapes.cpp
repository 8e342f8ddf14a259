// SPDX-License-Identifier: Apache-2.0
#include "src/dynamic/scan_shapes.h"

#include "ir/scan.h"

namespace t2n::dynamic {

std::vector<ir::Shape> scan_input_shapes(const ir::Graph& graph, const ir::Node& node) {
  const ir::Scan scan = ir::read_scan(node);
  const auto shape = [&](ir::ValueId id) { return graph.values[id].shape; };
  std::vector<ir::Shape> out = {{}};  // the iteration's number
  for (size_t i = 0; i < scan.scanned.size(); ++i) {
    ir::Shape iteration = shape(scan.scanned[i]);
    iteration.erase(iteration.begin() + scan.scanned_axes[i]);
    out.push_back(std::move(iteration));
  }
  for (const ir::ValueId id : scan.initial) out.push_back(shape(id));
  for (const ir::ValueId id : scan.captured) out.push_back(shape(id));
  return out;
}

std::vector<ir::Shape> scan_output_shapes(const ir::Node& node) {
  const ir::Scan scan = ir::read_scan(node);
  std::vector<ir::Shape> out;
  for (size_t i = 0; i < scan.outputs(); ++i) {
    const ir::ValueId id = node.body->outputs[i];
    out.push_back(node.body->values[id].shape);
    if (i < scan.stacked())
      out.back().insert(out.back().begin() + scan.stacked_axes[i], scan.length);
  }
  return out;
}

}  // namespace t2n::dynamic
