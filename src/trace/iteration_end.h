// Which tensors stand where when the iterations of a rolled loop end.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/graph.h"

namespace t2n::trace {

/// A tensor that stands somewhere when an iteration ends.
struct IterationEnd {
  ir::ValueId value = ir::kNoValue;
  const void* tensor = nullptr;  ///< identifies tensors that no operation has read
  bool is_own = false;           ///< the iteration computed it or wrote to it
  /// True for the same tensor, whatever made it.
  friend bool operator==(const IterationEnd& a, const IterationEnd& b) {
    return a.value == b.value && a.tensor == b.tensor;
  }
};
/// The tensors at the places of a variable, container or object, after each iteration.
struct IterationEnds {
  int64_t first_iteration = -1;  ///< after which the place was looked at first
  std::vector<std::vector<IterationEnd>> tensors = {};
};

}  // namespace t2n::trace
