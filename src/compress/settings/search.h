// SPDX-License-Identifier: Apache-2.0
// Chooses the layers to compress within a limit of loss or of bytes, by the cost of each alone.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace t2n::compress {

/// How a layer is stored.
enum class Form {
  floats,         ///< unchanged
  wider,          ///< in integers of 8 bits, if the settings have fewer
  as_configured,  ///< as in the settings
  narrower,       ///< with fewer bits than that
};
/// By layer.
using Choice = std::vector<Form>;

struct Loss {
  double metric = 0;  ///< the loss that the limit applies to
  double noise = 0;   ///< a finer measure: orders layers with equal loss
};

/// The search space: layers that can only be compressed together count as one.
struct SearchSpace {
  std::vector<bool> can_narrow;  ///< by layer
  std::vector<bool> can_widen;   ///< the same
  std::function<Loss(const Choice&)> loss;
  std::function<int64_t(const Choice&)> bytes;
};

struct Goal {
  std::optional<double> max_loss = {};
  std::optional<int64_t> budget = {};  ///< bytes
};

/// The effect of compressing one layer only.
struct SingleLayerCost {
  Loss loss;
  int64_t saved = 0;  ///< bytes
};

struct SearchResult {
  Choice choice;
  Loss loss;  ///< measured for exactly this choice
  int64_t bytes = 0;
  int64_t bytes_of_floats = 0;
  bool is_within_budget = true;  ///< otherwise `bytes` is the minimum, and the loss is unknown
  bool is_within_loss = true;
  std::vector<std::optional<SingleLayerCost>> alone;  ///< by layer; nothing if it was not measured
};

/// Without a budget, all layers are compressed; while the loss exceeds the limit, the layer that
/// loses most per saved byte gets 8 bits; if all have 8 bits, it becomes floats again. With a
/// budget, all start as floats; layers that lose least per byte are compressed until the budget
/// holds: first to 8 bits, then as configured, then with fewer bits. The limit of loss then only
/// judges the result. Every step is measured, not estimated by sums.
SearchResult search(const SearchSpace& space, const Goal& goal);

}  // namespace t2n::compress
