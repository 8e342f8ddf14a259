// The program's decisions by sizes, in the order in which it makes them.
#pragma once

#include <torch/csrc/jit/ir/ir.h>

#include <cstdint>
#include <string>
#include <vector>

#include "ir/comparison.h"
#include "src/loops/rolling.h"
#include "src/model/traced.h"
#include "src/trace/mark.h"
#include "src/trace/position.h"

namespace t2n::trace {

/// Branches, lengths of loops and numbers that follow from sizes. Branches that follow from data
/// are refused here. Reads marks and the position; changes nothing but its own list.
class Decisions {
 public:
  Decisions(const TraceOptions& options, Position& position)
      : options_(options), position_(position) {}

  const std::vector<Decision>& all() const { return noted_; }
  size_t size() const { return noted_.size(); }
  /// Removes and returns the decisions after the first `first`.
  std::vector<Decision> take_from(size_t first);

  /// Returns null, and notes nothing, if sizes are not kept or the mark does not follow from sizes.
  Decision* note(const torch::jit::Node* node, const Mark& mark, int64_t direction,
                 Decision::Kind kind = Decision::Kind::branch);
  /// The program uses the answer to a comparison of sizes: the file holds for the same answer.
  void settle(const Mark& comparison, bool answer);
  void settle_all(const std::vector<ir::Comparison>& comparisons);
  /// Notes a number without an expression that an operation is given and that the file would store.
  Decision* note_number(const torch::jit::Node* node, const Mark& mark, const c10::IValue& number);
  /// Notes how many iterations a loop took, and the conditions that it evaluated before each.
  void note_loop(const torch::jit::Node* node, const c10::IValue& trips,
                 const std::vector<c10::IValue>& conditions, int64_t iterations);
  /// Decisions in iterations of a rolled loop after the first, in terms of the values that remain.
  /// Other iterations may decide differently, as each sees what the iterations before it left.
  /// `first`: the number of decisions before the loop.
  void add_later(std::vector<Decision> later, const loops::Rolled& rolled, size_t first);

  /// Whether the user accepts, for all inputs, this run's side of a branch on data. Else an error.
  bool accept_guard(const Mark& mark);
  /// `obstacle`: why selects cannot replace the branch, if that was tried.
  [[noreturn]] void refuse_branch(const torch::jit::Node* node, const Mark& mark,
                                  const std::string& reason = {}) {
    refuse(node, mark, reason, false);
  }
  /// The same for a loop that only lacks its largest number of iterations.
  [[noreturn]] void refuse_endless(const torch::jit::Node* node, const Mark& mark,
                                   const std::string& reason) {
    refuse(node, mark, reason, true);
  }

  /// While an object lives, a branch is taken in all runs, also where its condition does not hold:
  /// what it computes from sizes must then add nothing. Under T % 3 != 0, 3 - T % 3 is
  /// (3 - T % 3) % 3, and under T < 5, 5 - T is max(5 - T, 0).
  class Fixed {
   public:
    /// `holds`: whether the condition sends this run the way that is taken.
    Fixed(Decisions& decisions, const Mark& condition, bool direction, bool holds);
    ~Fixed();
    Fixed(const Fixed&) = delete;
    Fixed& operator=(const Fixed&) = delete;

   private:
    Decisions& decisions_;
    bool any_ = false;
  };
  /// The number as it stands in the branches that are taken in all runs.
  c10::IValue in_fixed(const c10::IValue& number) const;

  struct Taken {
    ir::Comparison condition;
    std::optional<std::pair<ir::Dim, int64_t>> remainder;  ///< that it says is not 0, and of what
    bool holds = false;
  };
  /// What was taken so around the operation that runs, the innermost last.
  const std::vector<Taken>& fixed() const { return fixed_; }

 private:
  [[noreturn]] void refuse(const torch::jit::Node* node, const Mark& mark,
                           const std::string& reason, bool needs_most);

  const TraceOptions& options_;
  Position& position_;
  std::vector<Decision> noted_;
  std::vector<Taken> fixed_;
};

/// Whether it may hold in some iterations of a rolled loop, and not in others. The first iteration
/// does not count.
bool changes_with_iteration(const Mark& condition);
/// Refuses such a condition of a branch. `obstacle`: why no select stands for it. Errors:
/// `dynamic-loop`.
void check_iteration_branch(const Mark& condition, const std::string& reason = {});

}  // namespace t2n::trace
