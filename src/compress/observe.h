// The operation `t2n::observe`: passes its operand on; what was seen, and the grid that follows,
// stand in its arguments.
#pragma once

#include <optional>
#include <vector>

#include "ir/graph.h"
#include "src/compress/settings.h"

namespace t2n::compress {

inline constexpr const char* kObserveOp = "t2n::observe";

/// The arguments of an operation `t2n::observe(self, …)`.
struct Observation {
  ir::ValueId self = ir::kNoValue;
  Grid grid;
  std::optional<int> axis = {};  ///< of channels; nothing for one grid for all
  bool least_squares = false;    ///< the grid is the one whose errors are least
  std::vector<double> low = {};  ///< of what was seen, one or one per channel; empty: nothing was
  std::vector<double> high = {};
  std::vector<double> scale = {};  ///< of the grid; empty: not calculated
  std::vector<int64_t> zero_point = {};
};

bool is_observe(const ir::Node& node);
Observation read_observation(const ir::Node& node);
std::vector<ir::Argument> observation_arguments(const Observation& observation);

/// The least and the greatest integer of a grid.
int64_t lowest(const Grid& grid);
int64_t highest(const Grid& grid);

std::string_view observer_name(Observer observer);

}  // namespace t2n::compress
