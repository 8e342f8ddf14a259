// Operations with weights: which operands are weights, and which are activations.
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
  /// The axis of output channels in the weight; nothing if there is no such axis.
  std::optional<int> channel_axis;
};

/// An operation whose weights depend on constants only.
struct Layer {
  std::vector<Weight> weights;
  std::vector<ir::ValueId> activations;  ///< operands that are multiplied with weights
  ir::ValueId bias = ir::kNoValue;
};

/// `is_known`: for each value, whether it depends on constants only (known_values()).
std::optional<Layer> layer_of(const ir::Graph& graph, const ir::Node& node,
                              const std::vector<bool>& is_known);

/// For each value, whether it is constant, or depends on constants only.
std::vector<bool> known_values(const ir::Graph& graph);

}  // namespace t2n::compress
