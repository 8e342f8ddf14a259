// SPDX-License-Identifier: Apache-2.0
#include "src/dynamic/run_rewriter.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "src/diag/error.h"
#include "src/dynamic/varying.h"

namespace t2n::dynamic {

void RunRewriter::rewrite() {
  while (pad() || reroll_loops() || select_branches() || fix_branches() || compute_numbers()) {
  }
}

/// All runs record the padding that one of them needs where a tensor has too few elements.
bool RunRewriter::pad() {
  if (!add_padded(runs_, rewrites_.padded)) return false;
  trace_again();
  return true;
}

/// Records loops whose number of iterations depends on sizes as one operation, and traces
/// everything again.
bool RunRewriter::reroll_loops() {
  const std::set<ir::ProgramPoint> varying = varying_loops(runs_, rewrites_.rerolled_loops);
  if (varying.empty()) return false;
  rewrites_.rerolled_loops.insert(varying.begin(), varying.end());
  trace_again();
  return true;
}

/// Records both directions of branches on data-dependent sizes, if selects can choose between the
/// results in every run.
bool RunRewriter::select_branches() {
  for (ir::ProgramPoint branch : branches_on_values(runs_, sample_))
    if (tried_branches_.insert(branch).second && select_branch(branch)) return true;
  return false;
}

bool RunRewriter::select_branch(ir::ProgramPoint branch) {
  rewrites_.selected_branches.insert(branch);
  const auto reason = retrace([&] { return reason_of(runs_, branch); });
  if (!reason) return true;
  rewrites_.selected_branches.erase(branch);
  note_reason(runs_, branch, *reason);
  return false;
}

/// Traces everything again. Restores the runs and returns the reason if that fails.
std::optional<std::string> RunRewriter::retrace(
    const std::function<std::optional<std::string>()>& reason) {
  std::vector<TraceAt> runs = runs_, small = small_;
  std::optional<std::string> out;
  try {
    trace_again();
    out = reason();
    if (!out) return out;
  } catch (const Error& error) {
    if (error.diagnostic().id == "internal") throw;
    out = cat("the model then fails: ", error.diagnostic().message);
  }
  runs_ = std::move(runs);
  small_ = std::move(small);
  return out;
}

bool RunRewriter::fix_branches() {
  for (ir::ProgramPoint branch : differing_branches(runs_))
    for (const int64_t direction : {1, 0}) {
      if (!tried_directions_.emplace(branch, direction).second) continue;
      rewrites_.fixed_branches[branch] = direction;
      if (!retrace([] { return std::optional<std::string>(); })) return true;
      rewrites_.fixed_branches.erase(branch);
    }
  return false;
}

/// Numbers that vary with sizes, and that no argument can express, become operations.
bool RunRewriter::compute_numbers() {
  const size_t before = rewrites_.computed_numbers.size();
  rewrites_.computed_numbers.merge(varying_numbers(runs_));
  if (rewrites_.computed_numbers.size() == before) return false;
  trace_again();
  return true;
}

/// Runs in which a rerolled loop is too short to compare stay unrolled, and are separated. If it
/// throws, the runs are as before.
void RunRewriter::trace_again() {
  std::optional<Error> too_short;
  std::vector<TraceAt> runs, small;
  for (const TraceAt& run : runs_) try {
      runs.push_back({run.sizes, request_.trace(run.sizes, run.seed, rewrites_), run.seed});
    } catch (const Error& error) {
      if (error.diagnostic().id != "short-loop" || run.sizes != sample_) throw;
      if (!too_short) too_short = error;
      small.push_back(run);
    }
  const auto first = std::find_if(runs.begin(), runs.end(),
                                  [&](const TraceAt& run) { return run.sizes == sample_; });
  if (first == runs.end()) throw Error(*too_short);
  std::rotate(runs.begin(), first, first + 1);
  runs_ = std::move(runs);
  std::move(small.begin(), small.end(), std::back_inserter(small_));
}

}  // namespace t2n::dynamic
