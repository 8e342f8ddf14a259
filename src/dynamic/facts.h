// What the trials say of symbolic sizes: comparisons that came out the same in all of them.
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

  /// What does not follow from what is known but is the same in every trial is noted as assumed;
  /// none if the trials differ.
  std::optional<bool> decide(const ir::Dim& a, Relation relation, const ir::Dim& b);
  /// Whether both are equal: as what is known says, or in every trial, which is noted then.
  bool equal(const ir::Dim& a, const ir::Dim& b);
  /// The smaller and the larger; min() and max() themselves only where the trials show both.
  ir::Dim smaller(const ir::Dim& a, const ir::Dim& b);
  ir::Dim larger(const ir::Dim& a, const ir::Dim& b);
  /// Without what targets cannot say: minima and maxima are decided, remainders become divisions.
  ir::Dim simplified(const ir::Dim& dim);

  /// What was noted since the last call; it is forgotten here.
  std::vector<Comparison> take_assumed();
  /// From now on; `forget` takes back what speaks of a symbol.
  void know(Comparison comparison) { known_.push_back(std::move(comparison)); }
  void forget(const Symbol& symbol);

 private:
  bool is_settled(const Comparison& asked);
  /// In how many trials it is true; none if it speaks of symbols that these do not know.
  std::optional<size_t> count(const Comparison& asked) const;
  void assume(const Comparison& comparison);

  std::vector<const Sizes*> trials_;
  std::vector<Comparison> known_;  ///< what is assumed comes last
  std::vector<Comparison> assumed_;
};

/// With numbers on the right, and ">=" and "<=" for ">" and "<", solved for a single symbol where
/// that is possible: "S >= 5" for "S - 3 > 1", and "S >= 4" for "((S) // (2)) >= 2".
Comparison plain(const Comparison& comparison);

}  // namespace t2n::dynamic
