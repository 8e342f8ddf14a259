// What the program decides by sizes, noted in the order in which it runs.
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

/// Branches, lengths of loops and numbers that follow from sizes. What follows from data is refused
/// here. Reads marks and the position, and changes nothing but its own list.
class Decisions {
 public:
  Decisions(const TraceOptions& options, Position& position)
      : options_(options), position_(position) {}

  const std::vector<Decision>& all() const { return noted_; }
  size_t size() const { return noted_.size(); }
  /// Takes out what was noted since there were `first`.
  std::vector<Decision> take_from(size_t first);

  /// Nothing is noted, and null returned, where no sizes are kept or the mark is none of sizes.
  Decision* note(const torch::jit::Node* node, const Mark& mark, int64_t way,
                 Decision::Kind kind = Decision::Kind::branch);
  /// What the program decides by a comparison of sizes: the file holds for the same answer.
  void settle(const Mark& comparison, bool answer);
  void settle_all(const std::vector<ir::Comparison>& comparisons);
  /// A number that an operation is given and that no expression says, if the file would hold it.
  Decision* note_number(const torch::jit::Node* node, const Mark& mark, const c10::IValue& number);
  /// The iterations that a loop took, and what it asked before each of them.
  void note_loop(const torch::jit::Node* node, const c10::IValue& trips,
                 const std::vector<c10::IValue>& conditions, int64_t iterations);
  /// What the iterations of a rolled loop after the first decided, said of the values that stay:
  /// they may have gone another way, and so may each of them, by what the iterations before it
  /// left. `first`: how many decisions there were before the loop.
  void add_later(std::vector<Decision> later, const loops::Rolled& rolled, size_t first);

  /// A branch on data: whether the user accepts the way of this run; else it is refused.
  bool accept_guard(const Mark& mark);
  /// `obstacle`: why no select stands for it, if one was tried.
  [[noreturn]] void refuse_branch(const torch::jit::Node* node, const Mark& mark,
                                  const std::string& obstacle = {});

 private:
  const TraceOptions& options_;
  Position& position_;
  std::vector<Decision> noted_;
};

/// A branch on the number of the iteration of a rolled loop may set the first iteration apart, and
/// no other. Errors: `dynamic-loop`.
void check_iteration_branch(const Mark& condition);

}  // namespace t2n::trace
