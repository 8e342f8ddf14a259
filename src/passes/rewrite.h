// SPDX-License-Identifier: Apache-2.0
// Shared by passes that change graphs.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "ir/dead_code.h"
#include "ir/graph.h"

namespace t2n::passes {

// Names that most passes use.
using ir::Attr;
using ir::DType;
using ir::Graph;
using ir::Node;
using ir::Tensor;
using ir::TensorRef;
using ir::ValueId;

/// Names that no value of the graph has yet.
class FreshNames {
 public:
  explicit FreshNames(const ir::Graph& graph);
  /// `base`, with "_2", "_3"… appended if needed.
  std::string take(const std::string& base);

 private:
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, int> last_number_;
};

/// Call numbers that no operation of the same name and scope has yet.
class FreshCalls {
 public:
  explicit FreshCalls(const ir::Graph& graph);
  int take(ir::OpId op, ir::ScopeId scope);

 private:
  std::map<std::pair<ir::ScopeId, std::string_view>, int> next_;
};

using ir::remove_dead;
using ir::replace_uses;

}  // namespace t2n::passes
