// What the comparison of a loop's iterations finds.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ir/graph.h"

namespace t2n::loops {

inline constexpr const char* kPlainHelp =
    "let every iteration do the same to tensors of the same shape; what differs in one iteration "
    "can come "
    "before or after the loop";

inline constexpr const char* kJoinHelp =
    "collect the parts in a list, and torch.cat them once after the loop";

/// One value in all iterations.
using IterationValues = std::vector<ir::ValueId>;
/// The position where an iteration computes a value.
struct Spot {
  int64_t iteration = 0;
  size_t node = 0;
  size_t output = 0;
};
/// One slice of an outer tensor for each iteration, from `first` forwards or backwards: one element
/// of the axis or, as split() gives them, `part` elements that keep the axis.
struct Slices {
  ir::ValueId whole = ir::kNoValue;
  int64_t axis = 0;
  int64_t part = 0;  ///< 0: one element, without the axis
  ir::Dim first;
  bool reversed = false;
  int64_t step = 1;  ///< from one slice to the next
  ir::ValueId inner = ir::kNoValue;
};
/// Neighbouring elements of an axis of an outer tensor, others in each iteration.
struct Window {
  ir::ValueId whole = ir::kNoValue;
  int64_t axis = 0;
  ir::Dim first;  ///< where it begins in the first iteration
  int64_t step = 0;
  int64_t width = 0;
  ir::ValueId inner = ir::kNoValue;  ///< the elements that all iterations take
};
/// 0, 1, … along an axis of a state.
struct Positions {
  size_t state = 0;
  int64_t axis = 0;
  ir::ValueId inner = ir::kNoValue;
};
struct CarriedState {
  IterationValues iterations;
  ir::ValueId inner = ir::kNoValue;
  ir::ValueId next = ir::kNoValue;  ///< inside
};
/// A state of which each iteration writes one slice, and that is not used otherwise.
struct Filled {
  size_t state = 0;
  int64_t axis = 0;
  ir::Dim first;
  bool reversed = false;
  int64_t step = 1;
  ir::ValueId source = ir::kNoValue;  ///< inside
};

/// `y = torch.cat([y, part], dim)` in every iteration becomes one join after the loop.
struct Growing {
  ir::Node join;          ///< of the last iteration; it keeps its result
  IterationValues parts;  ///< in the join's order
  IterationValues grown;  ///< after each iteration but the last
};

/// One iteration as a graph, and where its operands come from.
struct Recurrence {
  int64_t start = 0;  ///< the first iteration of the scan; earlier ones stay outside
  std::shared_ptr<ir::Graph> body = std::make_shared<ir::Graph>();
  ir::ValueId number = ir::kNoValue;  ///< inside: the iteration's number
  /// What nodes compute, inside, by node and output; kNoValue for slices that are only written
  /// through.
  std::map<std::pair<size_t, size_t>, ir::ValueId> inner = {};
  std::vector<bool> hoisted = {};  ///< by node: the same in all iterations
  std::vector<Slices> slices = {};
  std::vector<Window> windows = {};
  std::vector<Positions> positions = {};
  /// What must hold for the places that iterations read in states, and write there.
  std::vector<ir::Comparison> conditions = {};
  std::vector<CarriedState> states = {};
  std::vector<std::pair<ir::ValueId, ir::ValueId>> captured = {};  ///< outside, inside
  std::vector<Filled> filled = {};
};

}  // namespace t2n::loops
