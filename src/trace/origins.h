// Which iteration of which rolled loop made a tensor. What Python's variables and lists hold is
// followed by this.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "src/loops/rolling.h"
#include "src/trace/iteration_end.h"
#include "src/trace/tracks.h"

namespace t2n::trace {

/// Queries on the recorder's tables; changes nothing.
class Origins {
 public:
  Origins(const Tracks& tracks, const loops::Rolling& rolling)
      : tracks_(tracks), rolling_(rolling) {}

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

  const Tracks& tracks_;
  const loops::Rolling& rolling_;
};

}  // namespace t2n::trace
