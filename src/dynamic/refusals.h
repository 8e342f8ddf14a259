// SPDX-License-Identifier: Apache-2.0
// All refusals of sizes in one report, whatever their class.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "src/diag/error.h"
#include "src/dynamic/assumptions.h"
#include "src/dynamic/infer.h"
#include "src/dynamic/run_rewriter.h"

namespace t2n::dynamic {

/// Collects refusals, one for each location.
class Refusals {
 public:
  /// Does the work, and notes its refusal.   Errors: those that are no refusals.
  void attempt(const std::function<void()>& work);
  void add(const std::vector<Diagnostic>& found);
  /// The first refusal with the others; nothing if there is none.
  std::optional<Error> error() const;

 private:
  std::vector<Diagnostic> found_;
};

/// What is known of a model when one of its sizes is refused.
struct RefusedRuns {
  const std::vector<TraceAt>& runs;
  const RunRewriter& rewriter;
  const std::vector<AxisSpec>& axes;
  std::vector<Need> needs;  ///< so far
  InferOptions options;
  const ir::OpTable& operators;
};

/// The error with the refusals that the runs show before their graphs are compared with torch:
/// sizes that no expression gives, numbers and branches that no comparison expresses, branches that
/// take other directions, and what operators require and NNEF cannot express.
Error with_refusals_of_runs(const Error& first, RefusedRuns refused);

}  // namespace t2n::dynamic
