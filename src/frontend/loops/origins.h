// SPDX-License-Identifier: Apache-2.0
// Which iteration of which rerolled loop computed a tensor: tracks the tensors in Python's
// variables and lists.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "src/frontend/record/alias_table.h"
#include "src/loops/rerolling.h"

namespace t2n::trace {

/// A tensor in a variable, container or object at the end of an iteration.
struct IterationEnd {
  ir::ValueId value = ir::kNoValue;
  const void* tensor = nullptr;  ///< identifies tensors that no operation has read
  bool is_own = false;           ///< the iteration computed it or wrote to it
  /// True for the same tensor; `is_own` is ignored.
  friend bool operator==(const IterationEnd& a, const IterationEnd& b) {
    return a.value == b.value && a.tensor == b.tensor;
  }
};
/// The tensors in a variable, container or object, after each iteration.
struct IterationEnds {
  int64_t first_iteration = -1;  ///< the first one after which they were noted
  std::vector<std::vector<IterationEnd>> tensors = {};
};

/// Read-only queries on the recorder's tables.
class Origins {
 public:
  Origins(const AliasTable& aliases, const loops::Rerolling& rerolling)
      : aliases_(aliases), rerolling_(rerolling) {}

  /// Whether an iteration of a rerolled loop computed it.
  bool is_from_iteration(const at::Tensor& tensor) const;
  /// Whether a loop that is being recorded computed it.
  bool is_from_running_loop(const at::Tensor& tensor) const;
  /// Whether these tensors, each with a position, are results of one operation, or of the
  /// iterations of one loop, in the order of their positions.
  bool are_in_order(const std::vector<std::pair<int64_t, at::Tensor>>& indexed) const;
  /// The tensor at the end of an iteration of the innermost loop.
  IterationEnd at_iteration_end(const at::Tensor& tensor) const;
  /// After the loop: the value that its iterations passed on, or that is the same in all of them;
  /// nothing for a result of the scan.
  std::optional<IterationEnd> value_after_loop(const IterationEnd& end) const;

 private:
  std::optional<loops::Origin> origin_of(const at::Tensor& tensor) const;

  const AliasTable& aliases_;
  const loops::Rerolling& rerolling_;
};

}  // namespace t2n::trace
