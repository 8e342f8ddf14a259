// Operations with weights: which operands are weights, which activations.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"

namespace t2n::compress {

struct Weight {
  ir::ValueId value = ir::kNoValue;
  std::string_view argument;
  /// Its results lie along it; nothing where no axis is of one result each.
  std::optional<int> channel_axis;
};

/// An operation whose weights are constants, or follow from constants alone.
struct Layer {
  std::vector<Weight> weights;
  std::vector<ir::ValueId> activations;  ///< operands that products with weights are taken of
  ir::ValueId bias = ir::kNoValue;
};

/// `is_known`: per value whether it follows from constants alone (known_values()).
std::optional<Layer> layer_of(const ir::Graph& graph, const ir::Node& node,
                              const std::vector<bool>& is_known);

/// Per value whether it is a constant, or computed from constants alone.
std::vector<bool> known_values(const ir::Graph& graph);

}  // namespace t2n::compress
