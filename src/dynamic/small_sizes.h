// Sizes at which programs often do something else: none, one, and no more than a loop needs.
#pragma once

#include <set>
#include <vector>

#include "src/dynamic/assumptions.h"
#include "src/dynamic/probes.h"

namespace t2n::dynamic {

/// Compares what the graph computes at such sizes with what torch does, and asserts larger ones
/// where it is not the same.
class SmallSizes {
 public:
  /// `small`: runs with other values than the sample's, in which nothing or one element is counted
  /// and the program is another.
  SmallSizes(const Request& request, const Rewrites& rewrites, const Sizes& sample,
             const trace::Traced& traced, const std::vector<TraceAt>& small)
      : request_(request), rewrites_(rewrites), sample_(sample), traced_(traced), small_(small) {}

  /// Whether a condition that something is counted may be left out: in two runs or more where
  /// nothing is, all that were seen, the model gives empty tensors, and the graph the same.
  bool computes_for_none(const Need& need) const;
  /// If another program computes the same, the graph holds; otherwise it demands larger sizes.
  void try_small(const TraceAt& run, Assertions& out) const;
  /// Strides, contiguity, aliasing and broadcasts change at size 1: one size alone, with the
  /// sample's others.
  void try_one(const Symbol& symbol, Assertions& out) const;
  /// All at their least. Where that is wrong, the bound is for one size that alone is too small.
  void try_together(const std::set<Symbol>& symbols, Assertions& out) const;
  /// Whether the graph computes what torch does at all sizes that a condition of one size
  /// excludes, or at those of some periods if it repeats, so that it may be left out. `second`:
  /// other sizes than the sample's.
  bool holds_where_excluded(const Need& need, const Sizes& second, const Assertions& known) const;
  /// With an empty cache the program may go another way, or fail.
  void try_empty(const ir::Dim& size, Assertions& out) const;

 private:
  struct Tried {
    bool is_right = false;
    bool is_short = false;  ///< a loop takes too few iterations to compare them
  };
  bool is_right(const TraceAt& run) const;
  bool computes(const TraceAt& there) const;
  bool stays_equal(const Sizes& sizes, const Symbol& symbol, const Assertions& known) const;
  bool holds_with_others(const Sizes& sizes, const Symbol& symbol, const Assertions& known,
                         std::set<Sizes>& seen) const;
  trace::Traced shaped(TraceAt run) const;
  Tried tried(const Sizes& sizes) const;
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
