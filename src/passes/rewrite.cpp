// SPDX-License-Identifier: Apache-2.0
// Unused names and call numbers.
#include "src/passes/rewrite.h"

#include <algorithm>

namespace t2n::passes {

FreshNames::FreshNames(const Graph& graph) {
  for (const ir::Value& value : graph.values) taken_.insert(value.name);
}

std::string FreshNames::take(const std::string& base) {
  if (taken_.insert(base).second) return base;
  int& number = last_number_.try_emplace(base, 1).first->second;
  std::string name;
  do name = cat(base, "_", ++number);
  while (!taken_.insert(name).second);
  return name;
}

FreshCalls::FreshCalls(const Graph& graph) {
  for (const Node& node : graph.nodes) {
    int& next = next_[{node.scope, ir::op_short_name(node.op)}];
    next = std::max(next, node.call + 1);
  }
}

int FreshCalls::take(ir::OpId op, ir::ScopeId scope) {
  return next_[{scope, ir::op_short_name(op)}]++;
}

}  // namespace t2n::passes
