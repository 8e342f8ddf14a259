// What a loop consists of once its iterations are compared.
#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"

namespace t2n::loops {

/// What makes the iterations of a loop differ. Thrown where they are compared and caught in
/// Roller::run alone, which compares once more without the first iteration: only what differs then,
/// too, is an Error.
struct Mismatch {
  const ir::Node* node = nullptr;
  std::string why;
  std::string help;
};

inline constexpr const char* kPlainHelp =
    "let every iteration do the same to tensors of the same shape; what differs in one iteration "
    "can come "
    "before or after the loop";

inline constexpr const char* kJoinHelp =
    "collect the parts in a list, and torch.cat them once after the loop";

/// One value in all iterations.
using IterationValues = std::vector<ir::ValueId>;
/// Where an iteration computes a value.
struct Spot {
  int64_t iteration = 0;
  size_t node = 0;
  size_t output = 0;
};
/// A slice per iteration of a tensor outside, from `first` on or back: one element of the axis, or
/// as split() gives them, `part` elements that keep it.
struct Slices {
  ir::ValueId whole = ir::kNoValue;
  int64_t axis = 0;
  int64_t part = 0;  ///< 0: one element, without the axis
  ir::Dim first;
  bool reversed = false;
  ir::ValueId inner = ir::kNoValue;
};
struct CarriedState {
  IterationValues iterations;
  ir::ValueId inner = ir::kNoValue;
  ir::ValueId next = ir::kNoValue;  ///< inside
};
/// A state that each iteration writes one slice of, and nothing else touches.
struct Filled {
  size_t state = 0;
  int64_t axis = 0;
  ir::Dim first;
  bool reversed = false;
  ir::ValueId source = ir::kNoValue;  ///< inside
};

/// `y = torch.cat([y, part], dim)` in every iteration: one join after the loop.
struct Growing {
  ir::Node join;          ///< of the last iteration, whose result it has
  IterationValues parts;  ///< in the order of the join
  IterationValues grown;  ///< after all iterations but the last
};

}  // namespace t2n::loops
