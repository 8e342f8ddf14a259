// Which values of a graph are whole numbers, and between which bounds.
#pragma once

#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "ir/graph.h"

namespace t2n::passes {

/// Whole numbers in an interval.
struct Whole {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
};

/// What is proven of values of the graph as it was given. Constants of it stay as they are.
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
  std::optional<Whole> of(ir::ValueId id, int depth = 0) const;

 private:
  std::optional<Whole> argument(const ir::Node& node, std::string_view name, int depth) const;
  std::optional<Whole> clamped(const ir::Node& node, int depth) const;
  std::optional<Whole> sum(const ir::Node& node, int depth) const;
  std::optional<Whole> cast(const ir::Node& node, int depth) const;
  std::optional<Whole> of_result(const ir::Node& node, int depth) const;

  const ir::Graph& graph_;
  std::vector<ir::Node> nodes_;
  std::vector<int> producers_;
  std::vector<int> constants_;
};

}  // namespace t2n::passes
