// SPDX-License-Identifier: Apache-2.0
// The body of a scan under construction.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "ir/graph.h"

namespace t2n::loops {

/// A graph for one iteration, with unique names of its own.
class Body {
 public:
  /// `outer`: the graph of the loop.
  explicit Body(const ir::Graph& outer);

  ir::Graph& graph() { return *graph_; }
  const std::shared_ptr<ir::Graph>& shared() const { return graph_; }
  ir::ValueId value(const std::string& name, ir::DType dtype, const ir::Shape& shape);
  ir::ValueId value_like(const ir::Value& value);
  /// Appends an operation with one result. `origin`: a node with its source location.
  ir::ValueId node(std::string_view op, std::vector<ir::Argument> args, ir::DType dtype,
                   const ir::Shape& shape, const ir::Node& origin);

 private:
  std::shared_ptr<ir::Graph> graph_ = std::make_shared<ir::Graph>();
  std::unordered_set<std::string> names_;
};

}  // namespace t2n::loops
