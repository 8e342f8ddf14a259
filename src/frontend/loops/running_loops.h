// SPDX-License-Identifier: Apache-2.0
// The loops that are running: the lists that they change, and the values that iterations of
// rerolled loops write and carry.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/frontend/loops/origins.h"
#include "src/frontend/loops/rerolled_loop.h"
#include "src/frontend/numbers/decisions.h"
#include "src/frontend/numbers/marks.h"

namespace t2n::trace {

/// Changes the marks of lists and adds guards to the decisions.
class RunningLoops {
 public:
  /// `origins`: null if nothing is recorded.
  RunningLoops(Marks& marks, Decisions& decisions, const Origins* origins)
      : marks_(marks), decisions_(decisions), origins_(origins) {}

  void begin() { changed_lists_.emplace_back(); }
  /// Ends the innermost loop and returns the lists that it has changed.
  ChangedLists end();
  void begin_rerolled(RerolledLoop& loop);
  ChangedLists end_rerolled();
  size_t depth() const { return changed_lists_.size(); }
  /// Ends all loops but the outermost `depth` when an exception leaves them.
  void leave(size_t depth) { changed_lists_.resize(depth); }
  /// Loops that are being rerolled, innermost last.
  const std::vector<RerolledLoop*>& rerolling() const { return rerolling_; }
  /// Which of their iterations computed a tensor.
  const Origins& origins() const { return *origins_; }

  // Called on changes of containers and objects.
  void note_created(const c10::IValue& value);
  void note_write(const c10::IValue& value);                                 ///< before the write
  void note_list(const std::string& name, const torch::jit::Stack& inputs);  ///< before the change
  void follow_growth(const c10::IValue& list);                               ///< called after it

  // Iterations of a rerolled loop.
  void begin_iteration(RerolledLoop& loop);
  /// `after`: the carried variables at the end of the iteration. Errors: `dynamic-loop`.
  void end_iteration(RerolledLoop& loop, std::vector<c10::IValue> after);

  // After a loop: marks the lists and the carried numbers.
  void mark_list_lengths(const ChangedLists& lists, int64_t iterations, const Mark& trips);
  void mark_carried(RerolledLoop& loop, const ChangedLists& lists, const ir::Dim& length);
  void guard_iteration_ends(const RerolledLoop& loop, const ir::Dim& length);

 private:
  bool keeps_content(const c10::IValue& before, const c10::IValue& after) const;
  void check_carried(const RerolledLoop& loop, const std::vector<c10::IValue>& after) const;
  void check_written(RerolledLoop& loop);
  void follow_rebound(const RerolledLoop& loop, size_t index, const c10::IValue& list);
  Mark length_in_iteration(const RerolledLoop& loop, const ChangedList& each, int64_t count) const;
  bool grew_by_sizes(const ChangedList& each) const;
  void mark_list_length(const c10::IValue& list, int64_t before, const Mark& known,
                        int64_t iterations, const ir::Dim& length);
  void add_grown_segment(const c10::IValue& list, ListLayout before, bool at_end);
  void note_iteration_end(RerolledLoop& loop) const;
  void guard_iteration_end(const std::vector<IterationEnd>& ends, int64_t first_iteration,
                           const ir::Dim& length);

  Marks& marks_;
  Decisions& decisions_;
  const Origins* origins_;
  std::vector<ChangedLists> changed_lists_;  ///< with their earlier lengths; innermost loop last
  std::vector<RerolledLoop*> rerolling_;
};

}  // namespace t2n::trace
