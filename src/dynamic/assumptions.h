// What a dynamic graph holds for only: branches, loops and what operators need of sizes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/diag/sink.h"
#include "src/dynamic/axes.h"
#include "src/model/traced.h"

namespace t2n::dynamic {

/// "S >= 1", unless something is said of S alone already.
std::vector<Comparison> positivity(const Sizes& sample, const std::vector<Comparison>& asserted);

/// A comparison that the graph needs; it is true of the sample.
struct Need {
  Comparison comparison;
  std::optional<Where> where;
  std::string why;
  bool is_told = false;   ///< as a warning
  bool is_guard = false;  ///< the model raises where it does not hold: it may stay unsaid
};

/// Everything that the file says of its sizes, in comparisons that engines can read.
class Assertions {
 public:
  /// `said` is what the user asserted and what goes without saying.
  Assertions(Sizes sample, std::vector<Comparison> said, Report report)
      : sample_(std::move(sample)), all_(std::move(said)), report_(std::move(report)) {}

  /// Unless it follows from the others. Errors: `dynamic-assumption` if it has no form in a file.
  void add(const Need& need);
  const std::vector<Comparison>& all() const { return all_; }
  /// Of sizes that follow from values: the graph itself fails where they do not hold.
  const std::vector<Comparison>& demands() const { return demands_; }

 private:
  Sizes sample_;
  void demand(const Need& need);
  std::vector<Comparison> all_, demands_;
  Report report_;
};

/// Comparisons that say `comparison`, or more than it where that has no form: a minimum is what it
/// is in the sample, and "!=" the side of it. Nothing if it has no form at all.
std::optional<std::vector<Comparison>> sayable(const Comparison& comparison, const Sizes& sample,
                                               const std::vector<Comparison>& known);

/// Branches and loops, as the sample's run took them. Errors: `dynamic-assumption` for those that
/// follow from sizes in a way that no comparison says.
std::vector<Need> branch_needs(const trace::Traced& traced, const Sizes& sample);
/// A scan takes one iteration or more.
std::vector<Need> loop_needs(const ir::Graph& graph, const Sizes& sample);

/// Errors: `dynamic-assumption` where sizes must be multiples, with the declaration that would do:
/// engines do not see that S is 2*(S/2).
void refuse_multiples(const std::vector<Need>& needs, const std::vector<AxisSpec>& axes,
                      const std::vector<Comparison>& known);

}  // namespace t2n::dynamic
