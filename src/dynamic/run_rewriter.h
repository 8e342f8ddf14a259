// SPDX-License-Identifier: Apache-2.0
// Records program points in other forms until the runs at all sizes have the same graph.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "src/dynamic/probes.h"

namespace t2n::dynamic {

/// Finds the rewrites under which the runs agree, and traces the runs with them.
class RunRewriter {
 public:
  /// `runs`: the first is the sample's. `small` receives those in which a loop is too short.
  RunRewriter(const Request& request, const Sizes& sample, std::vector<TraceAt>& runs,
              std::vector<TraceAt>& small)
      : request_(request), sample_(sample), runs_(runs), small_(small) {}

  const Rewrites& rewrites() const { return rewrites_; }
  /// Applies all that are possible.
  void rewrite();
  /// Fixes a branch that differs between runs to a direction that is right in all of them, such as
  /// a pad that is skipped where it adds nothing. Other sizes are examined with the assertions.
  /// Returns false if there is none.
  bool fix_branches();
  /// Whether both directions of a branch were tried, and neither is right at all sizes.
  bool is_unfixable(ir::ProgramPoint branch) const {
    return tried_directions_.contains({branch, 0}) && !rewrites_.fixed_branches.contains(branch);
  }

 private:
  bool pad();
  bool reroll_loops();
  bool select_branches();
  bool select_branch(ir::ProgramPoint branch);
  bool compute_numbers();
  std::optional<std::string> retrace(const std::function<std::optional<std::string>()>& reason);
  void trace_again();

  const Request& request_;
  const Sizes& sample_;
  std::vector<TraceAt>& runs_;
  std::vector<TraceAt>& small_;
  Rewrites rewrites_;
  std::set<ir::ProgramPoint> tried_branches_;
  std::set<std::pair<ir::ProgramPoint, int64_t>> tried_directions_;
};

}  // namespace t2n::dynamic
