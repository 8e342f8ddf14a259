// Which iteration of which rolled loop made a tensor. What Python's variables and lists hold is
// followed by this.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "src/loops/rolling.h"
#include "src/trace/alias_table.h"

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

/// Queries on the recorder's tables; changes nothing.
class Origins {
 public:
  Origins(const AliasTable& aliases, const loops::Rolling& rolling)
      : aliases_(aliases), rolling_(rolling) {}

  /// Whether a rolled loop computed it in one of its iterations.
  bool is_of_iteration(const at::Tensor& tensor) const;
  /// Whether a loop that is being recorded computed it.
  bool is_of_open_loop(const at::Tensor& tensor) const;
  /// Whether these tensors, each with a position, are results of one operation, or of the
  /// iterations of one loop, in the order of their positions.
  bool are_made_in_order(const std::vector<std::pair<int64_t, at::Tensor>>& placed) const;
  /// The tensor as the end of an iteration of the innermost loop leaves it.
  IterationEnd left_by_iteration(const at::Tensor& tensor) const;
  /// After the loop: the value that its iterations passed on, or that is the same in all of them;
  /// nothing for a value that the scan gives.
  std::optional<IterationEnd> from_outside(const IterationEnd& end) const;

 private:
  std::optional<loops::Origin> of(const at::Tensor& tensor) const;

  const AliasTable& aliases_;
  const loops::Rolling& rolling_;
};

}  // namespace t2n::trace
