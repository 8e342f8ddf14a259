// SPDX-License-Identifier: Apache-2.0
// The operation `t2n::observe` returns its operand. Its arguments hold the observed range, and the
// scale and zero point computed from it.
#pragma once

#include <optional>
#include <vector>

#include "ir/graph.h"
#include "src/compress/settings/settings.h"

namespace t2n::compress {

inline constexpr const char* kObserveOp = "t2n::observe";

/// The arguments of an operation `t2n::observe(self, …)`.
struct Observation {
  ir::ValueId self = ir::kNoValue;
  QuantScheme scheme;
  std::optional<int> axis = {};  ///< of channels; nothing: one scale for all
  bool least_squares = false;    ///< choose the scale with the least squared error
  std::vector<double> low = {};  ///< minima, one or one per channel; empty: nothing was observed
  std::vector<double> high = {};
  std::vector<double> scale = {};  ///< empty: not calculated
  std::vector<int64_t> zero_point = {};
};

bool is_observe(const ir::Node& node);
Observation read_observation(const ir::Node& node);
std::vector<ir::Argument> observation_arguments(const Observation& observation);

/// The smallest and the largest integer of a scheme.
int64_t lowest(const QuantScheme& scheme);
int64_t highest(const QuantScheme& scheme);

std::string_view observer_name(Observer observer);

}  // namespace t2n::compress
