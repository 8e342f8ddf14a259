// SPDX-License-Identifier: Apache-2.0
// What the comparison of a loop's iterations finds.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ir/graph.h"
#include "src/loops/scan_values.h"

namespace t2n::loops {

inline constexpr const char* kPlainHelp =
    "make every iteration do the same to tensors of the same shape, and move what differs before "
    "or after the loop";

inline constexpr const char* kJoinHelp =
    "collect the parts in a list, and torch.cat them once after the loop";

/// One value in all iterations.
using IterationValues = std::vector<ir::ValueId>;
/// Where an iteration computes a value.
struct DefSite {
  int64_t iteration = 0;
  size_t node = 0;
  size_t output = 0;
};
/// One slice of an outer tensor per iteration, from `first` forwards or backwards: one element of
/// the axis or, as split() gives them, `part` elements that keep the axis.
struct Slices {
  ir::ValueId source = ir::kNoValue;
  int64_t axis = 0;
  int64_t part = 0;  ///< 0: one element, without the axis
  ir::Dim first;
  bool reversed = false;
  int64_t step = 1;       ///< from one slice to the next
  bool has_rest = false;  ///< the last part may be shorter
  ir::ValueId inner = ir::kNoValue;
};
/// Consecutive elements of an axis of an outer tensor, which move with the iterations.
struct Window {
  ir::ValueId source = ir::kNoValue;
  int64_t axis = 0;
  ir::Dim first;  ///< where it begins in the first iteration
  int64_t step = 0;
  int64_t width = 0;
  ir::ValueId inner = ir::kNoValue;  ///< the elements that any iteration reads
};
/// 0, 1, … along an axis of an outer tensor.
struct Positions {
  ir::ValueId owner = ir::kNoValue;
  int64_t axis = 0;
  ir::ValueId inner = ir::kNoValue;
};
/// The elements of an axis from `begin` to `end`, or to the last one. Their number may change from
/// iteration to iteration.
struct Part {
  ir::ValueId owner = ir::kNoValue;  ///< an outer tensor with that axis
  int64_t axis = 0;
  ir::Dim begin;
  std::optional<ir::Dim> end;
  ir::Dim extent;                     ///< of the entire axis
  ir::ValueId inside = ir::kNoValue;  ///< in the body: bool, which elements they are
  size_t range = 0;                   ///< the same for parts with the same bounds
  bool has_elements = false;          ///< required in all iterations
  bool is_piece = false;              ///< of split(): the last one may be shorter
};
struct CarriedState {
  IterationValues iterations;
  ir::ValueId inner = ir::kNoValue;
  ir::ValueId next = ir::kNoValue;  ///< in the body
};
/// A state of which each iteration only writes one slice.
struct Filled {
  size_t state = 0;
  int64_t axis = 0;
  ir::Dim first;
  bool reversed = false;
  int64_t step = 1;
  ir::ValueId source = ir::kNoValue;  ///< in the body
};

/// `y = torch.cat([y, part], dim)` in every iteration becomes one concatenation after the loop.
struct Growing {
  ir::Node join;          ///< that of the last iteration; it keeps its result
  IterationValues parts;  ///< in the order of the concatenation
  IterationValues grown;  ///< after each iteration but the last
};

/// One iteration as a graph, and the sources of its operands.
struct Recurrence {
  int64_t start = 0;  ///< the first iteration of the scan; earlier ones stay before it
  std::shared_ptr<ir::Graph> body = std::make_shared<ir::Graph>();
  ir::ValueId number = ir::kNoValue;  ///< in the body: the iteration number
  /// Body values by node and output; kNoValue for slices that are only written through.
  std::map<std::pair<size_t, size_t>, ir::ValueId> inner = {};
  std::vector<bool> hoisted = {};  ///< by node: loop-invariant
  std::vector<Slices> slices = {};
  std::vector<Slices> pieces = {};  ///< those with a rest
  std::vector<Window> windows = {};
  std::vector<Positions> positions = {};
  /// Bounds of the indices at which iterations read and write states.
  std::vector<ir::Comparison> conditions = {};
  std::vector<CarriedState> states = {};
  std::vector<std::pair<ir::ValueId, ir::ValueId>> captured = {};  ///< outer value, body value
  std::vector<Filled> filled = {};
  std::set<ir::ValueId> parts = {};        ///< body values with an axis of which only a part counts
  std::map<ir::ValueId, Rest> rests = {};  ///< those that torch.cat() may collect
  bool has_rest = false;                   ///< in this run, the last piece of a split() is shorter
};

}  // namespace t2n::loops
