// SPDX-License-Identifier: Apache-2.0
#include "src/loops/scan_values.h"

#include <algorithm>

namespace t2n::loops {

const ir::Node* BodyValue::producer() const {
  for (const ir::Node& node : body->nodes)
    if (std::find(node.outputs.begin(), node.outputs.end(), value) != node.outputs.end())
      return &node;
  return nullptr;
}

ir::ValueId ScanValues::resolved(ir::ValueId id) const {
  for (auto found = same_as_.find(id); found != same_as_.end(); found = same_as_.find(id))
    id = found->second;
  return id;
}

const Occurrence* ScanValues::occurrence(ir::ValueId id) const {
  const auto found = occurrences_.find(id);
  return found == occurrences_.end() ? nullptr : &found->second;
}

size_t ScanValues::add(BodyValue body_value) {
  body_values_.push_back(std::move(body_value));
  return body_values_.size() - 1;
}

}  // namespace t2n::loops
