// SPDX-License-Identifier: Apache-2.0
#include "src/check/mismatch_cause.h"

#include <algorithm>

#include "src/check/graph_f64_distance.h"
#include "src/model/torch_module.h"

namespace t2n {
namespace {

/// The f64 runs of one output, starting with `exact`; empty if `exact` lacks it.
check::Runs runs_of(const SourceModel& model, InputSet& set, size_t output,
                    const std::vector<ir::Tensor>& exact) {
  check::Runs out;
  if (output >= exact.size()) return out;
  out.push_back(ir::to_f64(ir::as_pairs(exact[output])));
  for (const std::vector<ir::Tensor>& nearby : in_f64_nearby(model, set))
    if (output < nearby.size()) out.push_back(ir::to_f64(ir::as_pairs(nearby[output])));
  return out;
}

/// A model file does not name its engine: the result of any engine is right. The default engine
/// differs from oneDNN only in kernels for many groups, which saturate sums. If that changes the
/// output, the right result is undecided.
void judge_engines(const SourceModel& model, InputSet& set, size_t output, const ir::Tensor& result,
                   const check::Runs& runs, const check::Tolerance& tolerance,
                   std::optional<double> step, Explanation& out) {
  bool is_undecided = false;
  const check::Runs engine_runs =
      runs.empty() ? runs_of(model, set, output, in_f64_of_engines(model, set, tolerance)) : runs;
  for (const EngineRun& run : in_other_engines(model, set)) {
    const ir::Tensor& other = run.outputs.at(output);
    check::Engines found =
        check::measure_engines(set.expected[output], other, result, runs, tolerance, step);
    if (found.disagree && check::equals_but_for_ties(other, result, engine_runs, tolerance, step))
      found.is_other = true;
    if (run.engine == trace::Executor::torch_onednn) {
      out.engines_disagree = found.disagree;
      is_undecided = found.disagree && found.are_as_far;
    }
    if (!found.is_other) continue;
    out.cause = check::MismatchCause::engine;
    return;
  }
  if (is_undecided) out.cause = check::MismatchCause::undecided;
}

/// The effects of ties may cancel in a sum of the runs, but not in the engine's.
bool is_near_everywhere(const check::Ties& ties, bool is_discrete) {
  return (ties.are_everywhere(is_discrete) || !is_discrete) && ties.are_as_far();
}

/// Whether the file computes the model like LibTorch on another processor: the file equals the
/// graph with one kind of kernels, and LibTorch here equals it with the other kind.
bool is_of_other_kernels(const SourceModel& model, InputSet& set, size_t output,
                         const ir::Tensor& result, const check::Tolerance& tolerance) {
  const auto equals = [&](const std::vector<ir::Tensor>& run, const ir::Tensor& other) {
    if (output >= run.size()) return false;
    const check::Deviation found = check::compare(run[output], other, tolerance);
    return found.verdict == check::Verdict::ok && found.outliers == 0;
  };
  const KernelRuns& runs = in_both_kernels(model, set);
  return equals(runs.one_by_one, result) && equals(runs.by_product, set.expected[output]);
}

}  // namespace

Explanation explain(const SourceModel& model, InputSet& set, size_t output,
                    const ir::Tensor& result, const check::Tolerance& tolerance,
                    std::optional<double> step) {
  Explanation out;
  const check::Runs runs = runs_of(model, set, output, in_f64(model, set, tolerance));
  const auto ties = check::measure_ties(set.expected[output], result, runs, tolerance, step);
  const bool is_discrete = step || !ir::is_float(result.dtype);
  bool is_undecided = false;
  if (ties) {
    out.is_free_of_ties = ties->movable == 0;
    const bool is_everywhere = ties->are_everywhere(is_discrete);
    if (ties->explain_all() && !is_everywhere) {
      out.cause = check::MismatchCause::ties;
      return out;
    }
    is_undecided =
        ties->between_steps == 0 && (ties->explain_all() || is_near_everywhere(*ties, is_discrete));
  }
  if (is_of_other_kernels(model, set, output, result, tolerance)) {
    out.cause = check::MismatchCause::engine;
    return out;
  }
  if (model.traced.with_quantised)
    judge_engines(model, set, output, result, runs, tolerance, step, out);
  if (is_undecided && !out.cause) out.cause = check::MismatchCause::undecided;
  return out;
}

bool may_be_of_torch(const SourceModel& model, InputSet& set,
                     const std::vector<ir::Tensor>& results, const check::Tolerance& tolerance,
                     const std::vector<std::optional<double>>& quanta) {
  if (results.size() != set.expected.size()) return false;
  const std::vector<std::vector<ir::Tensor>> moved = with_ties_moved(model, set);
  for (size_t i = 0; i < results.size(); ++i) {
    const ir::Tensor& expected = set.expected[i];
    if (check::compare(expected, results[i], tolerance).verdict == check::Verdict::ok) continue;
    check::Runs runs;
    for (const std::vector<ir::Tensor>& run : moved)
      if (i < run.size()) runs.push_back(ir::to_f64(ir::as_pairs(run[i])));
    const auto ties = check::measure_ties(expected, results[i], runs, tolerance, quanta[i]);
    const bool is_discrete = quanta[i] || !ir::is_float(expected.dtype);
    if (ties && (ties->explain_all() || is_near_everywhere(*ties, is_discrete))) continue;
    const std::vector<EngineRun>& others = in_other_engines(model, set);
    const bool is_between = std::any_of(others.begin(), others.end(), [&](const EngineRun& other) {
      const check::Engines found = check::measure_engines(expected, other.outputs.at(i), results[i],
                                                          runs, tolerance, quanta[i]);
      return found.disagree && found.are_as_far;
    });
    if (!is_between) return false;
  }
  return true;
}

}  // namespace t2n
