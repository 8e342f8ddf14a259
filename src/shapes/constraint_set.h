// SPDX-License-Identifier: Apache-2.0
// Comparisons of symbolic sizes that have the same result in all probes.
#pragma once

#include <optional>
#include <vector>

#include "ir/sizes.h"

namespace t2n::shapes {

using ir::Comparison;
using ir::Relation;
using ir::Sizes;  ///< the size of each symbol in one run
using ir::Symbol;

/// The operands of all minima and maxima, including nested ones.
std::vector<ir::Operands> orders_in(const ir::Dim& dim);

/// Which minima and maxima stay symbolic although all probes show one order.
struct Orders {
  enum class Kept {
    none,
    unbacked,  ///< those of data-dependent sizes
    all,       ///< also those of other sizes that are never 0
  };
  Kept kept = Kept::none;
  std::vector<ir::Operands> decided;  ///< the probes decide the order of these
};

class ConstraintSet {
 public:
  /// `known` holds of the symbols.
  explicit ConstraintSet(std::vector<const Sizes*> probes, std::vector<Comparison> known = {})
      : probes_(std::move(probes)), known_(std::move(known)) {}

  /// The result of a comparison. One that known comparisons do not imply is assumed if it is the
  /// same in every probe; none if the probes differ.
  std::optional<bool> decide(const ir::Dim& a, Relation relation, const ir::Dim& b);
  /// True if known comparisons imply it, or if it holds in every probe; the latter is assumed.
  bool holds(const ir::Dim& a, Relation relation, const ir::Dim& b);
  bool equal(const ir::Dim& a, const ir::Dim& b) { return holds(a, Relation::eq, b); }
  /// Selects the minima and maxima that stay symbolic.
  void keep_orders(Orders orders) { orders_ = std::move(orders); }
  /// The smaller and the larger one; min() and max() remain if the probes show both orders.
  ir::Dim smaller(const ir::Dim& a, const ir::Dim& b);
  ir::Dim larger(const ir::Dim& a, const ir::Dim& b);
  /// Without what targets cannot express: minima and maxima are decided, remainders become
  /// divisions.
  ir::Dim simplified(const ir::Dim& dim);
  /// For a number that is not a size: minima and maxima remain.
  ir::Dim simplified_number(const ir::Dim& dim) const;

  /// Returns the assumptions made since the last call, and removes them.
  std::vector<Comparison> take_assumed();
  /// Adds a known comparison; `forget` removes those that mention a symbol.
  void know(Comparison comparison) { known_.push_back(std::move(comparison)); }
  void forget(const Symbol& symbol);

 private:
  bool follows(const ir::Dim& a, Relation relation, const ir::Dim& b) const;
  /// True if neither known comparisons nor the probes decide which is smaller.
  bool is_undecided(const ir::Dim& a, const ir::Dim& b) const;
  bool stays_symbolic(const ir::Dim& a, const ir::Dim& b) const;
  ir::Dim decided_smaller(const ir::Dim& a, const ir::Dim& b);
  ir::Dim decided_larger(const ir::Dim& a, const ir::Dim& b);
  /// The number of probes in which it holds; none if they do not know all its symbols.
  std::optional<size_t> count(const Comparison& comparison) const;
  void assume(const Comparison& comparison);

  std::vector<const Sizes*> probes_;
  std::vector<Comparison> known_;  ///< assumptions come last
  std::vector<Comparison> assumed_;
  Orders orders_;
};

/// With numbers on the right, ">=" and "<=" in place of ">" and "<", and solved for a single symbol
/// if possible: "S >= 5" for "S - 3 > 1", and "S >= 4" for "((S) // (2)) >= 2".
Comparison plain(const Comparison& comparison);

}  // namespace t2n::shapes
