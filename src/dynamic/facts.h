// Comparisons of symbolic sizes that came out the same in all trials.
#pragma once

#include <optional>
#include <vector>

#include "src/dynamic/axes.h"

namespace t2n::dynamic {

class Facts {
 public:
  /// `known` holds of the symbols.
  explicit Facts(std::vector<const Sizes*> trials, std::vector<Comparison> known = {})
      : trials_(std::move(trials)), known_(std::move(known)) {}

  /// A comparison that does not follow from known ones, but is the same in every trial, is noted as
  /// assumed; none if the trials differ.
  std::optional<bool> decide(const ir::Dim& a, Relation relation, const ir::Dim& b);
  /// Whether both are equal, by known comparisons or in every trial; the latter is noted.
  bool equal(const ir::Dim& a, const ir::Dim& b);
  /// Sizes that follow from values: which is smaller is not taken from the trials, but stays open.
  void keep_born_orders() { keeps_orders_ = true; }
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
  bool is_settled(const Comparison& asked);
  bool stays_open(const Comparison& asked) const;
  /// In how many trials it is true; none if it has symbols that these do not know.
  std::optional<size_t> count(const Comparison& asked) const;
  void assume(const Comparison& comparison);

  std::vector<const Sizes*> trials_;
  std::vector<Comparison> known_;  ///< assumptions come last
  std::vector<Comparison> assumed_;
  bool keeps_orders_ = false;
};

/// With numbers on the right, ">=" and "<=" in place of ">" and "<", and solved for a single symbol
/// if possible: "S >= 5" for "S - 3 > 1", and "S >= 4" for "((S) // (2)) >= 2".
Comparison plain(const Comparison& comparison);

}  // namespace t2n::dynamic
