// SPDX-License-Identifier: Apache-2.0
// The program's decisions on sizes, in execution order.
#pragma once

#include <torch/csrc/jit/ir/ir.h>

#include <cstdint>
#include <string>
#include <vector>

#include "ir/comparison.h"
#include "src/frontend/numbers/mark.h"
#include "src/frontend/numbers/position.h"
#include "src/loops/rerolling.h"
#include "src/model/traced.h"

namespace t2n::trace {

/// Branches, iteration counts and numbers of the running node that depend on sizes. Branches that
/// depend on data are refused here. Reads marks and the position; changes only its own list.
class Decisions {
 public:
  Decisions(const TraceOptions& options, Position& position)
      : options_(options), position_(position) {}

  const std::vector<Decision>& all() const { return noted_; }
  size_t size() const { return noted_.size(); }
  /// Removes and returns the decisions after the first `first`.
  std::vector<Decision> take_from(size_t first);

  /// Returns null, and notes nothing, if sizes are not kept or the mark does not depend on sizes.
  Decision* note(const Mark& mark, int64_t direction, Decision::Kind kind = Decision::Kind::branch);
  /// Requires that a comparison of sizes, which the program used, has the same answer.
  void add_guard(const Mark& condition, bool answer);
  void add_guard(const ir::Comparison& comparison, bool answer = true) {
    add_guard(condition_mark(comparison), answer);
  }
  void add_guards(const std::vector<ir::Comparison>& comparisons);
  /// Notes an operand that is a number without an expression, so that the file would store it.
  Decision* note_number(const Mark& mark, const c10::IValue& number);
  /// Notes how many iterations a loop took, and the conditions that it evaluated before each.
  void note_loop(const c10::IValue& trips, const std::vector<c10::IValue>& conditions,
                 int64_t iterations);
  /// Adds decisions of iterations of a rerolled loop after the first, in terms of the values that
  /// remain in the graph. Iterations may decide differently, as each reads the results of earlier
  /// ones. `first`: the number of decisions before the loop.
  void add_later(std::vector<Decision> later, const loops::Rerolled& rerolled, size_t first);

  /// Whether the user accepts this run's direction of a branch on data for all inputs.
  bool accept_guard(const Mark& mark);
  /// `reason`: why selects cannot replace the branch, if that was tried.
  [[noreturn]] void refuse_branch(const Mark& mark, const std::string& reason = {}) {
    refuse(mark, reason, false);
  }
  /// The same for a loop that only lacks an upper bound of its iteration count.
  [[noreturn]] void refuse_unbounded(const Mark& mark, const std::string& reason) {
    refuse(mark, reason, true);
  }

  /// While an object lives, a branch is taken in all runs, also where its condition does not hold:
  /// there the branch must have no effect, so that sizes in it are adjusted. Under T % 3 != 0,
  /// 3 - T % 3 becomes (3 - T % 3) % 3, and under T < 5, 5 - T becomes max(5 - T, 0).
  class FixedBranch {
   public:
    /// `holds`: whether this run's condition has the direction that is taken. `entries`: those of
    /// the alias table before the branch.
    FixedBranch(Decisions& decisions, const Mark& condition, bool direction, bool holds,
                int entries);
    ~FixedBranch();
    FixedBranch(const FixedBranch&) = delete;
    FixedBranch& operator=(const FixedBranch&) = delete;

   private:
    Decisions& decisions_;
    bool any_ = false;
  };
  /// The number, adjusted for the branches that are taken in all runs.
  c10::IValue adjusted(const c10::IValue& number) const;

  struct FixedCondition {
    ir::Comparison condition;
    std::optional<std::pair<ir::Dim, int64_t>> remainder;  ///< not 0; and its divisor
    bool holds = false;
    int entries = 0;  ///< see FixedBranch
  };
  /// The conditions of such branches around the current operation, the innermost last.
  const std::vector<FixedCondition>& fixed_conditions() const { return fixed_conditions_; }

 private:
  [[noreturn]] void refuse(const Mark& mark, const std::string& reason, bool needs_bound);

  const TraceOptions& options_;
  Position& position_;
  std::vector<Decision> noted_;
  std::vector<FixedCondition> fixed_conditions_;
};

/// Whether it may hold in some iterations of a rerolled loop, and not in others, the first
/// iteration left aside.
bool changes_with_iteration(const Mark& condition);
/// Refuses such a condition of a branch. `reason`: why it cannot become a select. Errors:
/// `dynamic-loop`.
void check_iteration_branch(const Mark& condition, const std::string& reason = {});

}  // namespace t2n::trace
