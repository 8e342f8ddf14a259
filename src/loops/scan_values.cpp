#include "src/loops/scan_values.h"

#include <algorithm>

namespace t2n::loops {

const ir::Node* Family::maker() const {
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

const Instance* ScanValues::instance(ir::ValueId id) const {
  const auto found = instances_.find(id);
  return found == instances_.end() ? nullptr : &found->second;
}

size_t ScanValues::add(Family family) {
  families_.push_back(std::move(family));
  return families_.size() - 1;
}

}  // namespace t2n::loops
