// The conditions of a dynamic graph: branches, loops, and what operators need of sizes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/diag/sink.h"
#include "src/dynamic/axes.h"
#include "src/dynamic/expressible.h"
#include "src/model/traced.h"

namespace t2n::dynamic {

/// "S >= 1", unless a comparison of S alone already exists.
std::vector<Comparison> positivity(const Sizes& sample, const std::vector<Comparison>& asserted);

/// The least common multiple of the divisors of sizes.
int64_t period(const ir::Dim& dim);

/// A comparison that the graph needs; it is true of the sample.
struct Need {
  Comparison comparison;
  std::optional<Where> where;
  std::string why;
  bool is_warned = false;  ///< as a warning
  bool is_guard = false;   ///< the model raises otherwise: the file need not assert it
  std::string help = "compute the same whatever the values are, for example with torch.where";
};

/// All assertions of the file about its sizes, as comparisons that engines can read.
class Assertions {
 public:
  /// `given`: the user's assertions, and the implicit ones.
  Assertions(Seen seen, std::vector<Comparison> given, Report report)
      : seen_(std::move(seen)), all_(std::move(given)), report_(std::move(report)) {}

  /// Adds it unless the others imply it. Errors: `dynamic-assumption` if the file cannot express
  /// it.
  void add(const Need& need);
  /// The same for a branch. Errors: `dynamic-differs` if it was fixed, against the sample's way.
  void add_branch(const Need& need);
  /// Warns that a number is a size, where a branch asks for its sign.
  void tell_sign(const Need& need, const Symbol& number) const;
  const std::vector<Comparison>& all() const { return all_; }
  /// Conditions on sizes that follow from values: the graph itself fails if they do not hold.
  const std::vector<Comparison>& runtime_assertions() const { return runtime_assertions_; }
  void add_runtime_assertions(const std::vector<Comparison>& more) {
    runtime_assertions_.insert(runtime_assertions_.end(), more.begin(), more.end());
  }

 private:
  const Sizes& sample() const { return seen_.front(); }
  void require_at_runtime(const Need& need);
  void refuse_one_size(const Need& need, const std::vector<Comparison>& added) const;
  Seen seen_;
  std::vector<Comparison> all_, runtime_assertions_;
  std::vector<Comparison> warned_;  ///< demands that were warned of
  Report report_;
};

/// Branches and loops, as they went in the sample's run. Errors: `dynamic-assumption` for those
/// that follow from sizes in a way that no comparison expresses.
std::vector<Need> branch_needs(const trace::Traced& traced, const Sizes& sample);
/// A scan needs at least one iteration.
std::vector<Need> loop_needs(const ir::Graph& graph, const Sizes& sample);

/// Errors: `dynamic-assumption` if sizes must be multiples, with a declaration that works: engines
/// do not know that S is 2*(S/2).
void refuse_multiples(const std::vector<Need>& needs, const std::vector<AxisSpec>& axes,
                      const std::vector<Comparison>& known);

}  // namespace t2n::dynamic
