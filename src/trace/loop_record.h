// Where tensors stand when the iterations of a rolled loop end.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/graph.h"

namespace t2n::trace {

/// A tensor that stands somewhere when an iteration ends.
struct IterationEnd {
  ir::ValueId value = ir::kNoValue;
  const void* tensor = nullptr;  ///< tells apart those that no operation has read
  bool is_own = false;           ///< the iteration computed it, or wrote to it
  /// The same tensor, whoever made it.
  friend bool operator==(const IterationEnd& a, const IterationEnd& b) {
    return a.value == b.value && a.tensor == b.tensor;
  }
};
/// What stood at the places of a variable, container or object after each iteration.
struct IterationEnds {
  int64_t first_iteration = -1;  ///< after which it was looked at first
  std::vector<std::vector<IterationEnd>> tensors = {};
};

}  // namespace t2n::trace
