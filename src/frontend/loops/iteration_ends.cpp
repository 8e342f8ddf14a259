// Tensors in variables, containers and objects at the end of each iteration of a rerolled loop. The
// scan returns those that an iteration computes. Where iterations only pass on existing tensors,
// the tensor must be the same from some iteration on.
#include <algorithm>

#include "src/frontend/loops/running_loops.h"
#include "src/loops/iteration.h"

namespace t2n::trace {

using ir::Dim;
using ir::Relation;

/// Notes the tensors in each variable, and in everything that the loop writes, after an iteration.
void RunningLoops::note_iteration_end(RerolledLoop& loop) const {
  const auto note = [&](const RerolledLoop::Slot& slot, const c10::IValue& value) {
    const std::vector<at::Tensor> tensors = tensors_in(value);
    IterationEnds& ends = loop.ends[slot];
    if (ends.first_iteration < 0)
      ends = {loop.iterations, std::vector<std::vector<IterationEnd>>(tensors.size())};
    // Elements that a list gained in the loop keep their positions.
    for (size_t i = 0; i < std::min(tensors.size(), ends.tensors.size()); ++i)
      ends.tensors[i].push_back(origins_->at_iteration_end(tensors[i]));
  };
  for (size_t i = 0; i < loop.carried.size(); ++i) note(i, loop.carried[i]);
  for (const auto& [key, written] : loop.written) note(key, written.value);
}

/// Adds a guard if the last tensor was only passed on by the iterations: the loop must run until
/// the tensor no longer changes. Errors: `dynamic-loop` if it changes in every iteration.
void RunningLoops::guard_iteration_end(const std::vector<IterationEnd>& ends,
                                       int64_t first_iteration, const Dim& length) {
  if (ends.empty() || ends.back().is_own) return;
  const auto last = origins_->value_after_loop(ends.back());
  if (!last) return;
  size_t same_from = ends.size() - 1;
  while (same_from > 0 && origins_->value_after_loop(ends[same_from - 1]) == last) --same_from;
  if (same_from + 1 == ends.size())
    loops::refuse_loop("the tensor that a variable holds after it depends on its iteration count",
                       "choose with torch.where, or compute it in each iteration");
  const int64_t iterations = first_iteration + static_cast<int64_t>(same_from) + 1;
  if (iterations > 1) decisions_.add_guard({length, Relation::ge, Dim(iterations)});
}

void RunningLoops::guard_iteration_ends(const RerolledLoop& loop, const Dim& length) {
  for (const auto& [slot, ends] : loop.ends)
    for (const std::vector<IterationEnd>& each : ends.tensors)
      // A list that became shorter has lost its last elements.
      if (ends.first_iteration + static_cast<int64_t>(each.size()) == loop.iterations)
        guard_iteration_end(each, ends.first_iteration, length);
}

}  // namespace t2n::trace
