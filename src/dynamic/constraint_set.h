// Comparisons of symbolic sizes that came out the same in all trials.
#pragma once

#include <optional>
#include <vector>

#include "src/dynamic/axes.h"

namespace t2n::dynamic {

/// The operands of all minima and maxima, also of those inside of quotients and of each other.
std::vector<ir::Operands> orders_in(const ir::Dim& dim);

/// What stays a minimum or maximum although all trials show one order.
struct Orders {
  enum class Kept {
    none,
    unbacked,  ///< of sizes that follow from values
    all,       ///< and of others that are never 0
  };
  Kept kept = Kept::none;
  std::vector<ir::Operands> taken;  ///< these are taken from the trials
};

class ConstraintSet {
 public:
  /// `known` holds of the symbols.
  explicit ConstraintSet(std::vector<const Sizes*> probes, std::vector<Comparison> known = {})
      : probes_(std::move(probes)), known_(std::move(known)) {}

  /// A comparison that does not follow from known ones, but is the same in every trial, is noted as
  /// assumed; none if the trials differ.
  std::optional<bool> decide(const ir::Dim& a, Relation relation, const ir::Dim& b);
  /// Whether it holds by known comparisons or in every trial; the latter is noted.
  bool holds(const ir::Dim& a, Relation relation, const ir::Dim& b);
  bool equal(const ir::Dim& a, const ir::Dim& b) { return holds(a, Relation::eq, b); }
  /// Which of two sizes is smaller is not taken from the trials, but stays open.
  void keep_orders(Orders orders) { orders_ = std::move(orders); }
  /// The smaller and the larger one; min() and max() only remain if the trials show both orders.
  ir::Dim smaller(const ir::Dim& a, const ir::Dim& b);
  ir::Dim larger(const ir::Dim& a, const ir::Dim& b);
  /// Without what targets cannot express: minima and maxima are decided, remainders become
  /// divisions.
  ir::Dim simplified(const ir::Dim& dim);
  /// For a number that is no size: minima and maxima remain.
  ir::Dim simplified_number(const ir::Dim& dim) const;

  /// Returns what was noted since the last call, and forgets it.
  std::vector<Comparison> take_assumed();
  /// Adds a known comparison; `forget` removes those that mention a symbol.
  void know(Comparison comparison) { known_.push_back(std::move(comparison)); }
  void forget(const Symbol& symbol);

 private:
  bool follows(const ir::Dim& a, Relation relation, const ir::Dim& b) const;
  /// Whether it is neither known which is smaller, nor to be taken from the trials.
  bool is_open(const ir::Dim& a, const ir::Dim& b) const;
  bool stays_open(const ir::Dim& a, const ir::Dim& b) const;
  ir::Dim settled_smaller(const ir::Dim& a, const ir::Dim& b);
  ir::Dim settled_larger(const ir::Dim& a, const ir::Dim& b);
  /// In how many trials it is true; none if it has symbols that these do not know.
  std::optional<size_t> count(const Comparison& asked) const;
  void assume(const Comparison& comparison);

  std::vector<const Sizes*> probes_;
  std::vector<Comparison> known_;  ///< assumptions come last
  std::vector<Comparison> assumed_;
  Orders orders_;
};

/// With numbers on the right, ">=" and "<=" in place of ">" and "<", and solved for a single symbol
/// if possible: "S >= 5" for "S - 3 > 1", and "S >= 4" for "((S) // (2)) >= 2".
Comparison plain(const Comparison& comparison);

}  // namespace t2n::dynamic
