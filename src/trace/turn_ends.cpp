// Which tensors the turns of a rolled loop leave in variables, containers and objects. What a turn
// computes itself the scan gives; what is only passed on is another tensor after few turns.
#include <algorithm>

#include "src/trace/interpreter.h"
#include "src/trace/turn.h"

namespace t2n::trace {

using ir::Dim;
using ir::Relation;

/// Notes what stands in each variable and in all that the loop writes to, after a turn.
void Interpreter::note_turn_end(RolledLoop& loop) const {
  const auto note = [&](const RolledLoop::Place& place, const c10::IValue& value) {
    const std::vector<at::Tensor> tensors = tensors_in(value);
    TurnEnds& ends = loop.ends[place];
    if (ends.first_turn < 0) ends = {loop.turns, std::vector<std::vector<TurnEnd>>(tensors.size())};
    // What a list has more than at first stays where it was put.
    for (size_t i = 0; i < std::min(tensors.size(), ends.tensors.size()); ++i)
      ends.tensors[i].push_back(recorder_->left_by_turn(tensors[i]));
  };
  for (size_t i = 0; i < loop.carried.size(); ++i) note(i, loop.carried[i]);
  for (const auto& [key, written] : loop.written) note(key, written.held);
}

/// A place that ends as a tensor which the turns only passed on must hold the same after as many
/// turns as the file takes. Errors: `dynamic-loop` if it is another one after each.
void Interpreter::settle_turn_end(const std::vector<TurnEnd>& ends, int64_t first_turn,
                                  const Dim& length) {
  if (ends.empty() || ends.back().is_own) return;
  const auto last = recorder_->from_outside(ends.back());
  if (!last) return;
  size_t same_from = ends.size() - 1;
  while (same_from > 0 && recorder_->from_outside(ends[same_from - 1]) == last) --same_from;
  if (same_from + 1 == ends.size())
    refuse_loop("which tensor a variable holds after it follows from the number of its turns",
                "choose with torch.where, or compute it in each turn");
  const int64_t turns = first_turn + static_cast<int64_t>(same_from) + 1;
  if (turns > 1) settle(comparison_mark({length, Relation::ge, Dim(turns)}), true);
}

void Interpreter::settle_turn_ends(const RolledLoop& loop, const Dim& length) {
  for (const auto& [place, ends] : loop.ends)
    for (const std::vector<TurnEnd>& each : ends.tensors)
      // Where a list became shorter its last places are gone.
      if (ends.first_turn + static_cast<int64_t>(each.size()) == loop.turns)
        settle_turn_end(each, ends.first_turn, length);
}

}  // namespace t2n::trace
