// SPDX-License-Identifier: Apache-2.0
// Makes input sets from the samples, gets their references from torch, and compares.
#include "src/check/check_model.h"

#include <algorithm>
#include <cmath>

#include "src/check/calls.h"
#include "src/check/choice_check.h"
#include "src/check/engine_runs.h"
#include "src/check/fixed_outputs.h"
#include "src/check/graph_f64_distance.h"
#include "src/check/mismatch_cause.h"
#include "src/check/pulses.h"
#include "src/diag/error.h"
#include "src/diag/glob.h"
#include "src/quant/summary.h"

namespace t2n {
namespace {

/// Ranks wrong outputs before undecided ones, and larger differences before smaller ones.
bool is_worse(const check::OutputRow& a, const check::OutputRow& b) {
  const auto weight = [](const check::OutputRow& row) {
    if (check::verdict(row) == check::Verdict::differs) return 2;
    return row.cause == check::MismatchCause::undecided ? 1 : 0;
  };
  if (weight(a) != weight(b)) return weight(a) > weight(b);
  if (check::verdict(a) != check::verdict(b)) return false;
  return a.comparison.excess > b.comparison.excess;
}

void keep_worst(std::vector<check::OutputRow>& rows, size_t output, check::OutputRow row) {
  if (rows.size() <= output) return rows.push_back(std::move(row));
  check::OutputRow& kept = rows[output];
  if (row.quanta && kept.quanta)
    row.quanta = kept.quanta = check::combined(*kept.quanta, *row.quanta);
  if (is_worse(row, kept)) kept = std::move(row);
}

/// At looser levels than the default, any distance from f64 is allowed.
bool is_strict(const check::Tolerance& tolerance) {
  return tolerance.level == check::Level::exact || tolerance.level == check::Level::close ||
         tolerance.level == check::Level::approximate;
}

/// At stricter levels than the default and for explicit numbers, torch's rounding is no excuse.
bool is_lenient(const check::Tolerance& tolerance) {
  return tolerance.level != check::Level::exact && tolerance.level != check::Level::close &&
         tolerance.level != check::Level::custom;
}

/// The distances from f64. `differs`: the output exceeds the tolerance.
std::optional<check::F64Distance> distance(const SourceModel& model, InputSet& set,
                                           const check::Tolerance& tolerance, size_t output,
                                           const ir::Tensor& result, bool differs) {
  const std::vector<ir::Tensor>& exact = in_f64(model, set, tolerance);
  std::optional<check::F64Distance> measured;
  if (output < exact.size()) measured = check::measure(exact[output], set.expected[output], result);
  if (!differs || !measured || measured->is_as_near()) return measured;
  for (const std::vector<ir::Tensor>& nearby : in_f64_nearby(model, set))
    if (output < nearby.size()) measured = check::widened(*measured, exact[output], nearby[output]);
  return measured;
}

/// For each output of a quantiser, its quantisation step.
std::vector<std::optional<double>> quanta_of(const SourceModel& model, size_t outputs) {
  std::vector<std::optional<double>> out(outputs);
  if (const auto& graph = model.traced.with_quantised)
    for (size_t i = 0; i < std::min(outputs, graph->outputs.size()); ++i)
      out[i] = quant::quantum(*graph, i);
  return out;
}

/// Errors: `usage` for a name of no output.
void require_outputs(const std::vector<check::OutputTolerance>& tolerances,
                     const std::vector<std::string>& outputs) {
  for (const check::OutputTolerance& each : tolerances) {
    const bool is_known =
        std::any_of(outputs.begin(), outputs.end(),
                    [&](const std::string& output) { return glob_matches(each.glob, output); });
    if (is_known) continue;
    const std::string near = nearest(each.glob, outputs);
    throw Error("usage", cat("--tolerance: the artefact has no output ", quoted(each.glob)),
                cat("its outputs are: ", joined(outputs, ", ")),
                near.empty() ? "" : cat("did you mean ", quoted(near), "?"));
  }
}

/// Collects the rows of a result over the input sets.
class Rows {
 public:
  Rows(const Checking& checking, CheckResult& result)
      : model_(checking.model),
        names_(checking.outputs),
        options_(checking.options),
        result_(result),
        quanta_(quanta_of(model_, names_.size())),
        times_torch_(names_.size()) {
    most_ = check::kMostTimesTorch * std::max(1.0, longest_sum(model_) / check::kShortSum);
  }

  void add(InputSets& sets, size_t at, const std::vector<ir::Tensor>& actual,
           const std::string& where) {
    InputSet& set = sets.sets[at];
    Seen seen;
    for (size_t i = 0; i < actual.size(); ++i) {
      const check::Tolerance& own = tolerance_for(options_, names_[i]);
      const check::Tolerance tolerance =
          at == 0 ? own : stretched(own, sets.sets[0].expected[i], set.expected[i]);
      check::OutputRow row{.name = names_[i],
                           .comparison = check::compare(set.expected[i], actual[i], tolerance),
                           .most_times_torch = is_strict(own) ? std::optional(most_) : std::nullopt,
                           .where = where};
      measure(set, i, actual[i], at < kMeasured && !set.is_fed_back, row, seen);
      count(set, i, actual[i], row);
      if (check::verdict(row) == check::Verdict::differs && !result_.differing)
        result_.differing = set;
      keep_worst(result_.rows, i, std::move(row));
    }
    result_.unstable += seen.unstable;
    result_.engines_disagree += seen.engines_disagree;
    result_.undecided += seen.undecided;
  }

  void finish() {
    for (size_t i = 0; i < result_.rows.size(); ++i) result_.rows[i].times_torch = times_torch_[i];
  }

 private:
  static constexpr size_t kMeasured = 2;  ///< sets whose distance from f64 is always measured

  struct Seen {
    bool unstable = false;
    bool engines_disagree = false;
    bool undecided = false;
  };

  void measure(InputSet& set, size_t i, const ir::Tensor& actual, bool always,
               check::OutputRow& row, Seen& seen) {
    const bool differs = row.comparison.verdict == check::Verdict::differs;
    if (!row.comparison.mismatch.empty() || (!differs && !always)) return;
    const check::Tolerance& tolerance = tolerance_for(options_, names_[i]);
    const bool is_excusable = is_lenient(tolerance) && row.comparison.not_finite == 0;
    Explanation found;
    if (differs && is_excusable && (rounds(model_) || model_.traced.with_quantised)) {
      found = explain(model_, set, i, actual, tolerance, quanta_[i]);
      row.cause = found.cause;
      seen.engines_disagree |= found.engines_disagree;
      seen.undecided |= found.cause == check::MismatchCause::undecided;
      const bool is_by_rounding = !quanta_[i] && (found.is_free_of_ties || !rounds(model_));
      if (found.cause || !is_by_rounding) return;
    }
    const auto measured = distance(model_, set, tolerance, i, actual, differs);
    if (is_lenient(tolerance)) row.f64_distance = measured;
    if (!measured) return;
    if (measured->is_unstable)
      seen.unstable = true;
    else
      times_torch_[i] =
          std::max(times_torch_[i].value_or(0), measured->ratio(row.comparison.dtype));
  }

  void count(const InputSet& set, size_t i, const ir::Tensor& actual, check::OutputRow& row) const {
    if (!quanta_[i]) return;
    row.quanta = check::count_quanta(set.expected[i], actual, *quanta_[i]);
    const int64_t off = row.quanta->off_by_one + row.quanta->off_by_more;
    if (row.cause == check::MismatchCause::ties) row.quanta->at_ties = off;
    if (row.cause == check::MismatchCause::engine) row.quanta->of_an_engine = off;
  }

  const SourceModel& model_;
  const std::vector<std::string>& names_;
  const CheckOptions& options_;
  CheckResult& result_;
  std::vector<std::optional<double>> quanta_;       ///< by output
  std::vector<std::optional<double>> times_torch_;  ///< by output
  double most_ = 0;
};

}  // namespace

check::Tolerance stretched(const check::Tolerance& tolerance, const ir::Tensor& sample,
                           const ir::Tensor& expected) {
  if (!ir::is_float(ir::component_dtype(expected.dtype))) return tolerance;
  // Masking constants such as -1e30 do not count.
  const auto largest = [](const ir::Tensor& tensor) {
    constexpr double kMost = 1e30;
    double out = 0;
    for (const double value : ir::to_f64(ir::as_pairs(tensor)))
      if (std::abs(value) < kMost) out = std::max(out, std::abs(value));
    return out;
  };
  const double growth = largest(expected) / std::max(1.0, largest(sample));
  check::Tolerance out{check::Level::custom, check::margins_for(tolerance, expected.dtype)};
  out.custom.absolute *= std::max(1.0, growth);
  return out;
}

namespace {

/// The fields of the result that are known before results are compared.
CheckResult initial_result(const InputSets& sets, const Checking& checking) {
  CheckResult result;
  static_cast<SetSummary&>(result) = sets;
  result.engine = checking.runner.name();
  result.drawn = drawn_inputs(checking.model.samples);
  for (const InputSet& set : sets.sets) result.sets.push_back(set.name);
  return result;
}

}  // namespace

CheckResult compare_results(InputSets& sets, const Checking& checking, Results actual) {
  const SourceModel& model = checking.model;
  CheckResult result = initial_result(sets, checking);
  Rows rows(checking, result);
  for (size_t at = 0; at < actual.size(); ++at)
    rows.add(sets, at, with_widths(std::move(actual[at]), sets.sets[at], checking),
             where_of(sets.sets[at]));
  rows.finish();
  // No input can change, or movement was not measured.
  if (model.inputs.empty() || sets.movements.empty()) return result;
  const std::vector<bool> are_fixed = fixed_outputs(model.graph, sets);
  for (size_t i = 0; i < result.rows.size(); ++i) {
    if (i < are_fixed.size() && are_fixed[i]) continue;
    result.rows[i].response = sets.movements[i].median();
    result.rows[i].moved = sets.movements[i].share();
  }
  return result;
}

namespace {

CheckResult check_results(InputSets& sets, const Checking& checking, Results actual) {
  const bool checks_choices = !checking.path.empty() && !checking.options.scratch.empty() &&
                              is_lenient(checking.options.tolerance);
  size_t chosen = 0;
  if (checks_choices)
    chosen = apply_choices_to_sets(sets, checking, actual,
                                   quanta_of(checking.model, checking.outputs.size()));
  CheckResult result = compare_results(sets, checking, std::move(actual));
  result.chosen = chosen;
  if (checks_choices && !checking.model.inputs.empty() && !sets.movements.empty())
    compare_choices(sets, checking, result);
  return result;
}

}  // namespace

CheckResult check_on(InputSets& sets, const Checking& checking) {
  EngineRuns runs(checking);
  for (size_t at = 0; at < sets.sets.size(); ++at) runs.start(sets.sets, at);
  return check_results(sets, checking, runs.finish_all(sets.sets));
}

void merge_rows(CheckResult& result, const CheckResult& other) {
  result.sets.insert(result.sets.end(), other.sets.begin(), other.sets.end());
  if (!result.differing) result.differing = other.differing;
  result.unstable += other.unstable;
  result.chosen += other.chosen;
  result.engines_disagree += other.engines_disagree;
  result.undecided += other.undecided;
  for (size_t i = 0; i < std::min(result.rows.size(), other.rows.size()); ++i) {
    check::OutputRow row = other.rows[i];
    row.response = result.rows[i].response;
    row.moved = result.rows[i].moved;
    if (row.times_torch.value_or(0) < result.rows[i].times_torch.value_or(0))
      row.times_torch = result.rows[i].times_torch;
    else
      result.rows[i].times_torch = row.times_torch;
    keep_worst(result.rows, i, std::move(row));
  }
}

const check::Tolerance& tolerance_for(const CheckOptions& options, std::string_view output) {
  const auto found = std::find_if(
      options.by_output.rbegin(), options.by_output.rend(),
      [&](const check::OutputTolerance& each) { return glob_matches(each.glob, output); });
  return found == options.by_output.rend() ? options.tolerance : found->tolerance;
}

std::string tolerances_str(const CheckOptions& options) {
  std::string out = check::tolerance_str(options.tolerance);
  for (const check::OutputTolerance& each : options.by_output)
    out += cat(", ", quoted(each.glob), " ", check::tolerance_str(each.tolerance));
  return out;
}

namespace {

CheckResult run_check(const Checking& checking) {
  std::vector<trace::SampleInput> samples;
  for (const Sample& sample : checking.model.samples) samples.push_back(sample.input);
  (void)fed_inputs(samples, checking.model, checking.accepted);
  checking.runner.start_load(checking.path);
  EngineRuns runs(checking);
  const auto start = [&](const std::vector<InputSet>& sets) {
    if (sets.size() == 1) checking.runner.load(checking.path);
    runs.start(sets, sets.size() - 1);
  };
  InputSets sets = make_input_sets(checking.model, checking.options.seeds,
                                   checking.options.tolerance, checking.accepted, start);
  const std::optional<int64_t> loaded = checking.runner.loaded_bytes();
  CheckResult out = check_results(sets, checking, runs.finish_all(sets.sets));
  out.loaded_bytes = loaded;
  check_calls(checking, out);
  if (!checking.stream.symbol.empty()) check_in_pulses(checking, out);
  return out;
}

}  // namespace

bool has_difference(const CheckResult& result) {
  return std::any_of(result.rows.begin(), result.rows.end(), [](const check::OutputRow& row) {
    return check::verdict(row) == check::Verdict::differs;
  });
}

CheckResult check_artefact(const Checking& checking) {
  require_outputs(checking.options.by_output, checking.outputs);
  const Localiser& localiser = checking.options.localiser;
  CheckResult out;
  try {
    out = run_check(checking);
  } catch (const Error& error) {
    if (!localiser.failure || error.code() != ExitCode::engine_rejects) throw;
    throw Error(localiser.failure(checking, error.diagnostic()));
  }
  if (localiser.difference && (localiser.always || has_difference(out)))
    out.localisation = localiser.difference(checking, out);
  return out;
}

}  // namespace t2n
