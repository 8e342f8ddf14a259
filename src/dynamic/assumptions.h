// SPDX-License-Identifier: Apache-2.0
// The conditions of a dynamic graph: branches, loops, and what operators need of sizes.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/diag/sink.h"
#include "src/dynamic/axes.h"
#include "src/dynamic/expressible.h"
#include "src/dynamic/infer.h"
#include "src/model/traced.h"

namespace t2n::dynamic {

/// "S >= 1" for each symbol, unless the user bounds it.
std::vector<Comparison> positivity(const Sizes& sample, const std::vector<Comparison>& asserted);

/// The least common multiple of the divisors of sizes.
int64_t period(const ir::Dim& dim);

/// A comparison that the graph requires. It holds for the sample.
struct Need {
  Comparison comparison;
  std::optional<Where> where;
  std::string why;
  bool is_warned = false;  ///< the user gets a warning
  bool is_guard = false;   ///< otherwise the model raises: the assertion is optional
  std::string help = "compute the same whatever the values are, for example with torch.where";
};

/// What an operator requires.
Need need_of(Assumption assumption);

/// All assertions of the exported model about its sizes, as comparisons that engines can read.
class Assertions {
 public:
  /// `known`: the user's assertions, and the implicit ones.
  Assertions(Seen seen, std::vector<Comparison> known, Report report)
      : seen_(std::move(seen)),
        all_(std::move(known)),
        known_(std::ssize(all_)),
        report_(std::move(report)) {}

  /// Adds it unless others imply it. Errors: `dynamic-assumption` if NNEF cannot express it.
  void add(const Need& need);
  /// The same for a branch. Errors: `dynamic-differs` if it is fixed to the direction that the
  /// sample does not take.
  void add_branch(const Need& need);
  /// Forgets what later ones imply, and reports warnings of the others.
  void finish();
  /// Warns that a number is used as a size, and a branch tests its sign.
  void warn_sign(const Need& need, const Symbol& number) const;
  const std::vector<Comparison>& all() const { return all_; }
  /// Conditions on data-dependent sizes: the graph itself fails if they do not hold.
  const std::vector<Comparison>& runtime_assertions() const { return runtime_assertions_; }
  void add_runtime_assertions(const std::vector<Comparison>& more) {
    runtime_assertions_.insert(runtime_assertions_.end(), more.begin(), more.end());
  }

 private:
  /// What a need added.
  struct Added {
    std::vector<Comparison> forms;
    std::optional<Diagnostic> warning;
  };

  const Sizes& sample() const { return seen_.front(); }
  void require_at_runtime(const Need& need);
  void refuse_one_size(const Need& need, const std::vector<Comparison>& added) const;
  Seen seen_;
  std::vector<Comparison> all_, runtime_assertions_;
  int64_t known_;  ///< how many of all_ were given
  std::vector<Added> added_;
  std::vector<Comparison> warned_;  ///< runtime assertions with a warning
  Report report_;
};

/// The conditions of branches and loops in the sample's run. Errors: `dynamic-assumption` if one
/// depends on sizes and no comparison expresses it; `found` receives them instead, if given.
std::vector<Need> branch_needs(const trace::Traced& traced, const Sizes& sample,
                               std::vector<Diagnostic>* found = nullptr);
/// The refusal of a branch that takes another direction at `sizes`.
Diagnostic branch_refusal(const Need& need, const std::string& sizes);
/// A scan needs at least one iteration.
std::vector<Need> loop_needs(const ir::Graph& graph, const Sizes& sample);

/// Sizes that must be multiples of numbers.
struct Multiples {
  std::map<Symbol, int64_t> by_symbol;
  std::optional<Need> first;  ///< that requires one

  /// Whether the comparison holds if they are.
  bool imply(const Comparison& comparison) const;
};
Multiples multiples_of(const std::vector<Need>& needs, const std::vector<Comparison>& known);
/// Errors: `dynamic-assumption` if there are any; the help declares them. Engines do not know that
/// S is 2*(S/2).
void refuse_multiples(const Multiples& multiples, const std::vector<AxisSpec>& axes);

}  // namespace t2n::dynamic
