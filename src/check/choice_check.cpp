// SPDX-License-Identifier: Apache-2.0
#include "src/check/choice_check.h"

#include <algorithm>

#include "src/check/choices.h"
#include "src/check/graph_f64_distance.h"
#include "src/check/mismatch_cause.h"
#include "src/model/torch_module.h"

namespace t2n {
namespace {

/// Whether these results of the recorded graph equal LibTorch's in one of its engines.
bool is_of_torch(const SourceModel& model, InputSet& set, const std::vector<ir::Tensor>& results,
                 const check::Tolerance& tolerance) {
  if (agrees(set.expected, results, tolerance)) return true;
  if (!model.traced.with_quantised || model.is_compressed) return false;
  const std::vector<EngineRun>& others = in_other_engines(model, set);
  return std::any_of(others.begin(), others.end(), [&](const EngineRun& other) {
    return agrees(other.outputs, results, tolerance);
  });
}

/// Whether the recorded graph is the model's program for the set. If it is for the samples,
/// LibTorch's results may differ from its results by the effect of ties, or by as much as
/// LibTorch's own engines differ.
bool is_program(InputSets& sets, size_t at, const SourceModel& model,
                const check::Tolerance& tolerance,
                const std::vector<std::optional<double>>& quanta) {
  const auto run = [&](const InputSet& set) {
    return run_recorded(model, set, torch_module().evaluator());
  };
  InputSet& set = sets.sets[at];
  const std::vector<ir::Tensor> results = run(set);
  if (is_of_torch(model, set, results, tolerance)) return true;
  InputSet& samples = sets.sets[0];
  return at != 0 && model.traced.with_quantised && !model.is_compressed &&
         is_of_torch(model, samples, run(samples), tolerance) &&
         may_be_of_torch(model, set, results, tolerance, quanta);
}

}  // namespace

size_t apply_choices_to_sets(InputSets& sets, const Checking& checking, const Results& actual,
                             const std::vector<std::optional<double>>& quanta) {
  const SourceModel& model = checking.model;
  const check::Tolerance& tolerance = checking.options.tolerance;
  if (!has_choices(model)) return 0;
  const auto tolerance_of = [&](const InputSet& set, size_t output) {
    return stretched(tolerance_for(checking.options, checking.outputs[output]),
                     sets.sets[0].expected[output], set.expected[output]);
  };
  std::vector<size_t> differing;
  std::vector<const InputSet*> chosen;
  for (size_t at = 0; at < actual.size(); ++at) {
    const InputSet& set = sets.sets[at];
    bool differs = false;
    for (size_t i = 0; i < actual[at].size() && !differs; ++i) {
      const auto found = check::compare(set.expected[i], actual[at][i], tolerance_of(set, i));
      differs = found.verdict == check::Verdict::differs;
      if (!found.mismatch.empty()) return 0;
    }
    if (!differs) continue;
    differing.push_back(at);
    chosen.push_back(&set);
  }
  if (differing.empty()) return 0;
  const std::vector<Choices> choices = choices_in_engine(checking, chosen);
  size_t count = 0;
  for (size_t k = 0; k < choices.size(); ++k)
    count +=
        is_program(sets, differing[k], model, tolerance, quanta) &&
        apply_choices(model, sets.sets[differing[k]], choices[k], actual[differing[k]], tolerance);
  return count;
}

void compare_choices(const InputSets& sets, const Checking& checking, CheckResult& result) {
  const SourceModel& model = checking.model;
  const auto is_blind = [](const check::OutputRow& row) {
    return check::verdict(row) == check::Verdict::inconclusive &&
           row.cause != check::MismatchCause::undecided;
  };
  // With several inputs, it is unknown which of them the intermediate values depend on.
  if (!result.without_effect.empty() && model.inputs.size() > 1) return;
  if (!model.traced.with_quantised ||
      std::none_of(result.rows.begin(), result.rows.end(), is_blind))
    return;
  constexpr size_t kEnough = 4;
  std::vector<const InputSet*> selected;
  for (const InputSet& set : sets.sets)
    if (selected.size() < kEnough && set.sizes.empty()) selected.push_back(&set);
  const std::vector<Choices> choices = choices_in_engine(checking, selected);
  if (!are_choices_valid(model, selected, choices)) return;
  for (check::OutputRow& row : result.rows) row.has_valid_choices = true;
}

}  // namespace t2n
