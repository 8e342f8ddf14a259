// Tensors that the iterations of a rolled loop leave in variables, containers and objects. The scan
// gives those that an iteration computes itself. A place whose tensors are only passed on must hold
// the same tensor from some iteration on.
#include <algorithm>

#include "src/loops/iteration.h"
#include "src/trace/open_loops.h"

namespace t2n::trace {

using ir::Dim;
using ir::Relation;

/// Notes the tensors in each variable and in everything the loop writes to, after an iteration.
void OpenLoops::note_iteration_end(RolledLoop& loop) const {
  const auto note = [&](const RolledLoop::Slot& place, const c10::IValue& value) {
    const std::vector<at::Tensor> tensors = tensors_in(value);
    IterationEnds& ends = loop.ends[place];
    if (ends.first_iteration < 0)
      ends = {loop.iterations, std::vector<std::vector<IterationEnd>>(tensors.size())};
    // Elements that a list gained in the loop stay where they were put.
    for (size_t i = 0; i < std::min(tensors.size(), ends.tensors.size()); ++i)
      ends.tensors[i].push_back(origins_->left_by_iteration(tensors[i]));
  };
  for (size_t i = 0; i < loop.carried.size(); ++i) note(i, loop.carried[i]);
  for (const auto& [key, written] : loop.written) note(key, written.held);
}

/// Checks a place whose last tensor was only passed on by the iterations: it must hold that tensor
/// after as many iterations as the file may take. Errors: `dynamic-loop` if every iteration leaves
/// another one.
void OpenLoops::settle_iteration_end(const std::vector<IterationEnd>& ends, int64_t first_iteration,
                                     const Dim& length) {
  if (ends.empty() || ends.back().is_own) return;
  const auto last = origins_->from_outside(ends.back());
  if (!last) return;
  size_t same_from = ends.size() - 1;
  while (same_from > 0 && origins_->from_outside(ends[same_from - 1]) == last) --same_from;
  if (same_from + 1 == ends.size())
    loops::refuse_loop(
        "which tensor a variable holds after it follows from the number of its iterations",
        "choose with torch.where, or compute it in each iteration");
  const int64_t iterations = first_iteration + static_cast<int64_t>(same_from) + 1;
  if (iterations > 1)
    decisions_.settle(comparison_mark({length, Relation::ge, Dim(iterations)}), true);
}

void OpenLoops::settle_iteration_ends(const RolledLoop& loop, const Dim& length) {
  for (const auto& [place, ends] : loop.ends)
    for (const std::vector<IterationEnd>& each : ends.tensors)
      // A list that became shorter has lost its last places.
      if (ends.first_iteration + static_cast<int64_t>(each.size()) == loop.iterations)
        settle_iteration_end(each, ends.first_iteration, length);
}

}  // namespace t2n::trace
