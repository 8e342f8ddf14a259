// SPDX-License-Identifier: Apache-2.0
// Finds integer-valued floats of a graph, and their ranges.
#pragma once

#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "ir/graph.h"

namespace t2n::passes {

/// The range of integer-valued elements.
struct IntegerRange {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
};

/// Proves ranges of a graph's values. Constants of the graph must not change meanwhile.
class IntegerValued {
 public:
  explicit IntegerValued(const ir::Graph& graph);

  const std::vector<ir::Node>& nodes() const { return nodes_; }
  /// nullptr for inputs and constants.
  const ir::Node* producer(ir::ValueId id) const;
  bool is_constant(ir::ValueId id) const;
  /// A constant of one element.
  std::optional<double> number_at(ir::ValueId id) const;
  /// Nothing if the value may have fractions.
  std::optional<IntegerRange> range_of(ir::ValueId id, int depth = 0) const;

 private:
  std::optional<IntegerRange> argument(const ir::Node& node, std::string_view name,
                                       int depth) const;
  std::optional<IntegerRange> clamped(const ir::Node& node, int depth) const;
  std::optional<IntegerRange> sum(const ir::Node& node, int depth) const;
  std::optional<IntegerRange> cast(const ir::Node& node, int depth) const;
  std::optional<IntegerRange> range_of_result(const ir::Node& node, int depth) const;

  const ir::Graph& graph_;
  std::vector<ir::Node> nodes_;
  std::vector<int> producers_;
  std::vector<int> constants_;
};

}  // namespace t2n::passes
