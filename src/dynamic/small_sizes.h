// SPDX-License-Identifier: Apache-2.0
// Small sizes, at which programs often behave differently: 0, 1, and few iterations of a loop.
#pragma once

#include <set>
#include <vector>

#include "src/dynamic/assumptions.h"
#include "src/dynamic/probes.h"

namespace t2n::dynamic {

/// Compares the graph with torch at such sizes, and asserts larger ones where results differ.
class SmallSizes {
 public:
  /// `small`: runs with other values than the sample's, in which a data-dependent size is 0 or 1
  /// and the program differs.
  SmallSizes(const Request& request, const Rewrites& rewrites, const Sizes& sample,
             const trace::Traced& traced, const std::vector<TraceAt>& small)
      : request_(request), rewrites_(rewrites), sample_(sample), traced_(traced), small_(small) {}

  /// True if a condition that excludes size 0 is redundant: there are at least two runs with size
  /// 0, the model returns empty tensors in all of them, and so does the graph.
  bool computes_empty(const Need& need) const;
  /// Asserts larger sizes unless the graph matches the run or computes the same.
  void try_small(const TraceAt& run, Assertions& out) const;
  /// Tries small sizes of one symbol, with the sample's others: strides, contiguity, aliasing and
  /// broadcasts change at size 1.
  void try_one(const Symbol& symbol, Assertions& out) const;
  /// Tries all symbols at their least. If that is wrong, bounds the one that is too small.
  void try_together(const std::set<Symbol>& symbols, Assertions& out) const;
  /// True if a condition on one symbol is redundant: the graph computes what torch does at all
  /// sizes that it excludes, or in some periods if it is periodic. `second`: other sizes than the
  /// sample's.
  bool holds_where_excluded(const Need& need, const Sizes& second, const Assertions& known) const;
  /// Asserts a size of 1 unless the graph is right at 0: with an empty cache, the program may take
  /// another direction, or fail.
  void try_empty(const ir::Dim& size, Assertions& out) const;

 private:
  struct Outcome {
    bool is_right = false;
    bool is_short = false;  ///< a loop has too few iterations to compare them
  };
  bool is_right(const TraceAt& run) const;
  bool computes(const TraceAt& run) const;
  bool stays_equal(const Sizes& sizes, const Symbol& symbol, const Assertions& known) const;
  bool holds_with_others(const Sizes& sizes, const Symbol& symbol, const Assertions& known,
                         std::set<Sizes>& seen) const;
  trace::Traced shaped(TraceAt run) const;
  Outcome outcome_at(const Sizes& sizes) const;
  std::optional<TraceAt> plain_run(const Sizes& sizes) const;
  static Sizes with_largest(Sizes sizes, const Symbol& symbol, int64_t size, int64_t step,
                            const Assertions& known);
  TraceAt run_unrolled_if_short(const Sizes& sizes, const Rewrites& rewrites) const;
  TraceAt run_at(const Sizes& sizes, const Rewrites& rewrites) const;
  int64_t least_of(const Symbol& symbol, const std::vector<Comparison>& all) const;
  void need(const Symbol& symbol, int64_t least, Assertions& out) const;
  void raise(const Sizes& wrong, Assertions& out) const;

  const Request& request_;
  const Rewrites& rewrites_;
  const Sizes& sample_;
  const trace::Traced& traced_;
  const std::vector<TraceAt>& small_;
};

}  // namespace t2n::dynamic
