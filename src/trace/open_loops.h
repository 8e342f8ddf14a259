// The loops that are running: the lists that they change, and what the iterations of rolled loops
// write and leave.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/trace/decisions.h"
#include "src/trace/marks.h"
#include "src/trace/origins.h"
#include "src/trace/rolled_loop.h"

namespace t2n::trace {

/// Changes the marks of lists and settles decisions.
class OpenLoops {
 public:
  /// `origins`: null if nothing is recorded.
  OpenLoops(Marks& marks, Decisions& decisions, const Origins* origins)
      : marks_(marks), decisions_(decisions), origins_(origins) {}

  void begin() { changed_lists_.emplace_back(); }
  /// Ends the innermost loop and returns the lists that it has changed.
  ChangedLists end();
  void begin_rolled(RolledLoop& loop);
  ChangedLists end_rolled();
  size_t depth() const { return changed_lists_.size(); }
  /// Ends all loops but the outermost `depth` when an exception leaves them.
  void leave(size_t depth) { changed_lists_.resize(depth); }
  /// Rolled loops, innermost last.
  const std::vector<RolledLoop*>& rolling() const { return rolling_; }
  /// Which of their iterations made a tensor.
  const Origins& origins() const { return *origins_; }

  // Called on changes of containers and objects.
  void note_made(const c10::IValue& value);
  void note_write(const c10::IValue& held);                                  ///< before the write
  void note_list(const std::string& name, const torch::jit::Stack& inputs);  ///< before the change
  void follow_growth(const c10::IValue& list);                               ///< called after it

  // Iterations of a rolled loop.
  void begin_iteration(RolledLoop& loop);
  /// `after`: the values of the carried variables now. Errors: `dynamic-loop`.
  void end_iteration(RolledLoop& loop, std::vector<c10::IValue> after);

  // After a loop: marks the lists and the carried numbers.
  void follow_lists(const ChangedLists& lists, int64_t iterations, const Mark& trips);
  void follow_carried(RolledLoop& loop, const ChangedLists& lists, const ir::Dim& length);
  void settle_iteration_ends(const RolledLoop& loop, const ir::Dim& length);

 private:
  bool keeps_content(const c10::IValue& before, const c10::IValue& after) const;
  void check_carried(const RolledLoop& loop, const std::vector<c10::IValue>& after) const;
  void check_written(RolledLoop& loop);
  void follow_rebound(const RolledLoop& loop, size_t index, const c10::IValue& list);
  Mark length_in_iteration(const RolledLoop& loop, const ChangedList& each, size_t count) const;
  void follow_list(const c10::IValue& list, size_t before, const Mark& known, int64_t iterations,
                   const ir::Dim& length);
  void follow_grown(const c10::IValue& list, ListLayout before, bool at_end);
  void note_iteration_end(RolledLoop& loop) const;
  void settle_iteration_end(const std::vector<IterationEnd>& ends, int64_t first_iteration,
                            const ir::Dim& length);

  Marks& marks_;
  Decisions& decisions_;
  const Origins* origins_;
  std::vector<ChangedLists> changed_lists_;  ///< with their earlier lengths; innermost loop last
  std::vector<RolledLoop*> rolling_;
};

}  // namespace t2n::trace
