// Makes input sets from the samples, gets their references from torch, and compares.
#include "src/check/check_model.h"

#include <algorithm>
#include <cmath>

#include "src/check/choice_check.h"
#include "src/check/fixed_outputs.h"
#include "src/check/graph_f64_distance.h"
#include "src/check/mismatch_cause.h"
#include "src/diag/error.h"
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

/// If an engine fails only at other sizes or values, the message names them.
std::vector<ir::Tensor> run_set(check::Runner& runner, const InputSet& set,
                                const TracedModel& model, const std::string& where) {
  try {
    return runner.run(graph_inputs(set.inputs, model));
  } catch (const Error& error) {
    if (where.empty()) throw;
    Diagnostic diagnostic = error.diagnostic();
    diagnostic.message += cat(", ", where);
    throw Error(std::move(diagnostic));
  }
}

/// Names a set other than the samples: "at S=13", "with signs flipped".
std::string where_of(const InputSet& set) {
  if (!set.sizes.empty()) return cat("at ", dynamic::sizes_str(set.sizes));
  return set.name.empty() ? "" : cat("with ", set.name);
}

/// An output in the dialect's type.
ir::Tensor with_width(const ir::Tensor& actual, const ir::Tensor& expected, spec::Dialect dialect) {
  if (dialect == spec::Dialect::tract) return actual;
  return as_dtype(actual, ir::component_dtype(expected.dtype)).value_or(actual);
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
std::optional<check::F64Distance> distance(const TracedModel& model, InputSet& set,
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
std::vector<std::optional<double>> quanta_of(const TracedModel& model, size_t outputs) {
  std::vector<std::optional<double>> out(outputs);
  if (const auto& graph = model.traced.with_quantised)
    for (size_t i = 0; i < std::min(outputs, graph->outputs.size()); ++i)
      out[i] = quant::quantum(*graph, i);
  return out;
}

/// The diagnostic for outputs without a decision.
Diagnostic undecided_note(const CheckResult& result, const std::vector<std::string>& undecided) {
  const bool is_of_engines = result.engines_disagree > 0;
  return {
      .id = "inconclusive-check",
      .message = cat("the check cannot decide whether ", joined(undecided, ", "), " is right"),
      .where = {},
      .details = {},
      .why = cat("on ", result.undecided, result.undecided == 1 ? " input set" : " input sets",
                 " the values differ from LibTorch's, but ",
                 is_of_engines ? "LibTorch's own engines differ by as much"
                               : "rounding at ties changes them by as much"),
      .help =
          "pass real inputs with --input x=@file.npy, within the range of the model's calibration"};
}

/// What a wrong file could pass; `blind`: outputs that hardly depend on the inputs.
std::optional<Diagnostic> inconclusive(const CheckResult& result,
                                       const std::vector<std::string>& blind,
                                       const std::vector<std::string>& undecided) {
  std::vector<std::string> gaps;
  if (!blind.empty()) gaps.push_back(cat("the check is not conclusive for ", joined(blind, ", ")));
  const bool are_choices_valid =
      std::any_of(result.rows.begin(), result.rows.end(),
                  [](const check::OutputRow& row) { return row.has_valid_choices; });
  if (!result.without_effect.empty() && !are_choices_valid)
    gaps.push_back(
        cat("no output changed with the input ", joined(result.without_effect, ", "),
            result.drawn.empty() ? "" : cat("; random values were used for ", result.drawn)));
  if (result.has_unvaried_sizes) gaps.emplace_back("dynamic sizes were not varied");
  if (!undecided.empty()) {
    Diagnostic out = undecided_note(result, undecided);
    out.details = gaps;
    return out;
  }
  if (gaps.empty()) return std::nullopt;
  Diagnostic out{.id = "inconclusive-check",
                 .message = gaps[0],
                 .where = {},
                 .details = {gaps.begin() + 1, gaps.end()},
                 .why = {},
                 .help = {}};
  if (!blind.empty()) {
    out.why = "different inputs give nearly the same output, so a wrong file would pass as well";
    out.help = "pass real inputs with --input x=@file.npy, or use a stricter level: --check=close";
  } else if (!result.without_effect.empty()) {
    out.why = "a wrong file that ignores it, or uses a constant instead, would pass as well";
    out.help = result.drawn.empty() ? "pass real inputs with --input x=@file.npy" : kOtherValues;
  } else {
    out.why =
        "torch ran the model at the sample's sizes only, so a file that is right only for these "
        "would pass as well";
    out.help = "pass samples of other sizes with --input";
  }
  return out;
}

/// Collects the rows of a result over the input sets.
class Rows {
 public:
  Rows(const TracedModel& model, const std::vector<std::string>& names, const CheckOptions& options,
       CheckResult& result)
      : model_(model),
        names_(names),
        options_(options),
        result_(result),
        quanta_(quanta_of(model, names.size())),
        times_torch_(names.size()) {
    if (is_strict(options.tolerance))
      most_ = check::kMostTimesTorch * std::max(1.0, longest_sum(model) / check::kShortSum);
  }

  void add(InputSets& sets, size_t at, const std::vector<ir::Tensor>& actual,
           const std::string& where) {
    InputSet& set = sets.sets[at];
    Seen seen;
    for (size_t i = 0; i < actual.size(); ++i) {
      const check::Tolerance tolerance =
          at == 0 ? options_.tolerance
                  : stretched(options_.tolerance, sets.sets[0].expected[i], set.expected[i]);
      check::OutputRow row{.name = names_[i],
                           .comparison = check::compare(set.expected[i], actual[i], tolerance),
                           .response = {},
                           .moved = {},
                           .f64_distance = {},
                           .times_torch = {},
                           .most_times_torch = most_,
                           .quanta = {},
                           .where = where};
      measure(set, i, actual[i], at < kMeasured && !set.is_fed_back, row, seen);
      count(set, i, actual[i], row);
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
    const bool is_excusable = is_lenient(options_.tolerance) && row.comparison.not_finite == 0;
    Explanation found;
    if (differs && is_excusable && (rounds(model_) || model_.traced.with_quantised)) {
      found = explain(model_, set, i, actual, options_.tolerance, quanta_[i]);
      row.cause = found.cause;
      seen.engines_disagree |= found.engines_disagree;
      seen.undecided |= found.cause == check::MismatchCause::undecided;
      const bool is_by_rounding = !quanta_[i] && (found.is_free_of_ties || !rounds(model_));
      if (found.cause || !is_by_rounding) return;
    }
    const auto measured = distance(model_, set, options_.tolerance, i, actual, differs);
    if (is_lenient(options_.tolerance)) row.f64_distance = measured;
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

  const TracedModel& model_;
  const std::vector<std::string>& names_;
  const CheckOptions& options_;
  CheckResult& result_;
  std::vector<std::optional<double>> quanta_;       ///< by output
  std::vector<std::optional<double>> times_torch_;  ///< by output
  std::optional<double> most_;
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

/// The fields of the result that are known before the engine runs.
CheckResult initial_result(const InputSets& sets, const check::Runner& runner) {
  CheckResult result;
  result.engine = runner.name();
  result.reference = sets.reference;
  result.left_out = sets.left_out;
  result.refused = sets.refused;
  result.executor = sets.executor;
  result.sizes = sets.sizes;
  result.without_effect = sets.without_effect;
  result.has_unvaried_sizes = sets.has_unvaried_sizes;
  return result;
}

CheckResult check_on(InputSets& sets, const TracedModel& model,
                     const std::vector<std::string>& names, const CheckOptions& options,
                     check::Runner& runner, spec::Dialect dialect, const std::string& artefact) {
  CheckResult result = initial_result(sets, runner);
  result.drawn = drawn_inputs(model.samples);
  Rows rows(model, names, options, result);
  std::vector<std::vector<ir::Tensor>> actual;
  for (InputSet& set : sets.sets) {
    result.sets.push_back(set.name);
    actual.push_back(run_set(runner, set, model, where_of(set)));
    if (actual.back().size() != set.expected.size())
      throw Error("engine-failed", cat("the engine gave ", actual.back().size(),
                                       " outputs, the model has ", set.expected.size()));
    for (size_t i = 0; i < set.expected.size(); ++i)
      actual.back()[i] = with_width(actual.back()[i], set.expected[i], dialect);
  }
  const bool checks_choices =
      !artefact.empty() && !options.scratch.empty() && is_lenient(options.tolerance);
  if (checks_choices)
    result.chosen = apply_choices_to_sets(sets, model, options, runner, dialect, artefact, actual,
                                          quanta_of(model, names.size()));
  for (size_t at = 0; at < actual.size(); ++at)
    rows.add(sets, at, actual[at], where_of(sets.sets[at]));
  rows.finish();
  // No input can change, or movement was not measured.
  if (model.inputs.empty() || sets.movements.empty()) return result;
  const std::vector<bool> are_fixed = fixed_outputs(model.recorded_graph(), sets);
  for (size_t i = 0; i < result.rows.size(); ++i) {
    if (i < are_fixed.size() && are_fixed[i]) continue;
    result.rows[i].response = sets.movements[i].median();
    result.rows[i].moved = sets.movements[i].share();
  }
  if (checks_choices) compare_choices(sets, model, options, runner, dialect, artefact, result);
  return result;
}

void merge_rows(CheckResult& result, const CheckResult& other) {
  result.sets.insert(result.sets.end(), other.sets.begin(), other.sets.end());
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

CheckResult check_artefact(const std::string& path, TracedModel& model,
                           const std::vector<std::string>& names, const CheckOptions& options,
                           check::Runner& runner, spec::Dialect dialect,
                           const ArtefactInputs& artefact_inputs) {
  require_sizes(model, artefact_inputs);
  runner.load(path);
  const std::optional<int64_t> loaded = runner.loaded_bytes();
  InputSets sets = make_input_sets(model, options.seeds, options.tolerance, artefact_inputs);
  CheckResult out = check_on(sets, model, names, options, runner, dialect, path);
  out.loaded_bytes = loaded;
  return out;
}

namespace {

/// The message for a row that differs, within the tolerance or beyond it.
std::string mismatch_of(const check::OutputRow& row) {
  if (row.comparison.verdict == check::Verdict::differs)
    return cat(check::mismatch_text(row.name, row.comparison),
               row.where.empty() ? "" : cat(", ", row.where));
  if (check::is_between_steps(row))
    return cat(quoted(row.name), " differs by a fraction of its quantisation step, ",
               row.quanta->step, ", in ", row.quanta->between, " of ", row.quanta->elements,
               " elements");
  return cat(quoted(row.name), " is ", static_cast<int64_t>(*row.times_torch),
             " times as far from the f64 reference as torch is; rounding explains at most ",
             static_cast<int64_t>(*row.most_times_torch), " times");
}

}  // namespace

void judge(CheckResult& result, const CheckOptions& options, const std::string& consequence,
           const Report& report) {
  Diagnostic mismatch{
      .id = "output-mismatch", .message = {}, .where = {}, .details = {}, .why = {}, .help = {}};
  std::vector<std::string> blind;
  std::vector<std::string> undecided;
  for (const check::OutputRow& row : result.rows) {
    const check::Verdict verdict = check::verdict(row);
    if (verdict == check::Verdict::differs) {
      const std::string text = mismatch_of(row);
      if (mismatch.message.empty())
        mismatch.message = text;
      else
        mismatch.details.push_back(text);
    } else if (verdict == check::Verdict::inconclusive) {
      const bool is_undecided = row.cause == check::MismatchCause::undecided;
      (is_undecided ? undecided : blind).push_back(quoted(row.name));
    }
  }
  if (!mismatch.message.empty()) {
    mismatch.why = cat(result.engine, " computes other values than the model", consequence);
    throw Error(std::move(mismatch));
  }
  const std::optional<Diagnostic> note = inconclusive(result, blind, undecided);
  result.inconclusive = note.has_value();
  if (!note) return;
  if (options.strict) throw Error(*note);
  Diagnostic warning = *note;
  warning.severity = Severity::warning;
  if (report) report(warning);
}

}  // namespace t2n
