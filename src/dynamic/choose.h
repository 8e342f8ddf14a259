// SPDX-License-Identifier: Apache-2.0
// Chooses further sizes at which to run a model.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "src/dynamic/axes.h"

namespace t2n::dynamic {

/// The bounds for the sizes of one symbol.
struct Bounds {
  int64_t multiple = 1;  ///< sizes are multiples of it
  int64_t below = INT64_MAX;
};

/// Finds nearby sizes that equal no other extent of the model, if possible, so that what depends on
/// them is visible.
class Chooser {
 public:
  /// `extents`: every size in the sample's run.
  Chooser(Sizes sample, std::vector<Comparison> relations, std::set<int64_t> extents);

  /// New sizes for the symbols in `vary`, preferably larger ones if `upwards`, and the sample's for
  /// all others. Nothing if the relations allow none.
  std::optional<Sizes> next(const std::set<Symbol>& vary, bool upwards = true);
  /// The smallest sizes that the relations allow for all symbols at once: 1, or 0 if "P >= 0" is
  /// asserted.
  std::optional<Sizes> smallest() const;

  /// Sizes that every check has to try.
  void require(Sizes sizes) { required_.push_back(std::move(sizes)); }
  const std::vector<Sizes>& required() const { return required_; }

  void limit(const Symbol& symbol, Bounds bounds) { bounds_[symbol] = bounds; }
  Bounds bounds(const Symbol& symbol) const;
  void add(const Comparison& comparison) { relations_.push_back(comparison); }
  const Sizes& sample() const { return sample_; }
  /// True if the relations and bounds hold.
  bool allows(const Sizes& sizes) const;

 private:
  using Candidates = std::vector<std::pair<Symbol, std::vector<int64_t>>>;
  std::vector<int64_t> candidates(const Symbol& symbol, bool upwards, bool may_equal) const;
  bool may_be_empty(const Symbol& symbol) const;
  bool assign(const Candidates& all, size_t at, Sizes& sizes) const;

  Sizes sample_;
  std::vector<Comparison> relations_;
  std::set<int64_t> extents_, chosen_;
  std::map<Symbol, Bounds> bounds_;
  std::vector<Sizes> required_;
};

}  // namespace t2n::dynamic
