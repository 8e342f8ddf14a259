// Input sets from the samples, their references from torch, and what the comparisons say.
#include "src/export/check_model.h"

#include <algorithm>
#include <cmath>

#include "ir/cast.h"
#include "src/diag/error.h"
#include "src/export/graph_yardstick.h"
#include "src/export/torch_module.h"
#include "src/quant/summary.h"

namespace t2n {
namespace {

/// A comparison that fails counts more than one that does not, then the one further out.
bool is_worse(const check::OutputRow& a, const check::OutputRow& b) {
  if (check::verdict(a) != check::verdict(b)) return check::verdict(a) == check::Verdict::differs;
  return a.comparison.excess > b.comparison.excess;
}

void keep_worst(std::vector<check::OutputRow>& rows, size_t output, check::OutputRow row) {
  if (rows.size() <= output) return rows.push_back(std::move(row));
  check::OutputRow& kept = rows[output];
  if (row.quanta && kept.quanta) row.quanta = kept.quanta = check::worst(*kept.quanta, *row.quanta);
  if (is_worse(row, kept)) kept = std::move(row);
}

/// An engine that fails at other sizes, or on other values, fails because of them: the message
/// says so.
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

/// Where a set is not the samples': "at S=13", "with signs flipped".
std::string where_of(const InputSet& set) {
  if (!set.sizes.empty()) return cat("at ", dynamic::sizes_str(set.sizes));
  return set.name.empty() ? "" : cat("with ", set.name);
}

/// An output as the dialect knows it.
ir::Tensor with_width(const ir::Tensor& actual, const ir::Tensor& expected, spec::Dialect dialect) {
  if (dialect == spec::Dialect::tract) return actual;
  return of_dtype(actual, ir::component_dtype(expected.dtype)).value_or(actual);
}

/// Whoever allows more than the default allows what is far from f64, too.
bool is_strict(const check::Tolerance& tolerance) {
  return tolerance.level == check::Level::exact || tolerance.level == check::Level::close ||
         tolerance.level == check::Level::approximate;
}

/// Whoever asks for more than the default, or for own numbers, gets it whatever torch itself
/// rounds.
bool is_lenient(const check::Tolerance& tolerance) {
  return tolerance.level != check::Level::exact && tolerance.level != check::Level::close &&
         tolerance.level != check::Level::custom;
}

double largest(const ir::Tensor& tensor) {
  const ir::Tensor plain = ir::as_pairs(tensor);
  double out = 0;
  for (const double value : ir::to_f64(plain))
    if (std::isfinite(value)) out = std::max(out, std::abs(value));
  return out;
}

/// The absolute tolerance grows as an output does from the samples' on: rounding does, too.
check::Tolerance stretched(const check::Tolerance& tolerance, const ir::Tensor& of_sample,
                           const ir::Tensor& expected) {
  if (!ir::is_float(ir::component_dtype(expected.dtype))) return tolerance;
  const double growth = largest(expected) / std::max(1.0, largest(of_sample));
  check::Tolerance out{check::Level::custom, check::bounds_for(tolerance, expected.dtype)};
  out.custom.absolute *= std::max(1.0, growth);
  return out;
}

/// What LibTorch itself gives with other kernels for quantised layers; empty where it cannot.
const std::vector<ir::Tensor>& in_other_engine(const TracedModel& model, InputSet& set) {
  if (set.other_engine) return *set.other_engine;
  try {
    set.other_engine =
        torch_module().run_in(*model.session, set.inputs, trace::Executor::torch_onednn);
  } catch (const Error&) {
    set.other_engine.emplace();
  }
  return *set.other_engine;
}

/// Of an output from what LibTorch's other engine gives, beside its own. Where its engines disagree
/// by more than ties explain, a result that is neither's is not known to be right.
std::optional<check::Yardstick> distance_of_engines(const TracedModel& model, InputSet& set,
                                                    size_t output, const ir::Tensor& result) {
  if (!model.traced.with_quantised) return std::nullopt;
  const std::vector<ir::Tensor>& other = in_other_engine(model, set);
  if (output >= other.size()) return std::nullopt;
  auto measured = check::measure(other[output], set.expected[output], result);
  if (measured && measured->result_max > measured->noise)
    measured =
        check::widened(*measured, other[output], set.expected[output], check::Raised::by_ties);
  return measured;
}

/// Of an output from f64, beside torch's. `differs`: the tolerance alone says that it is wrong.
std::optional<check::Yardstick> distance(const TracedModel& model, InputSet& set,
                                         const check::Tolerance& tolerance, size_t output,
                                         const ir::Tensor& result, bool differs) {
  const std::vector<ir::Tensor>& exact = in_f64(model, set, tolerance);
  std::optional<check::Yardstick> measured;
  if (output < exact.size()) measured = check::measure(exact[output], set.expected[output], result);
  if (!differs || (measured && measured->is_as_near())) return measured;
  if (measured) {
    const auto& all = in_f64_nearby(model, set);
    for (const std::vector<ir::Tensor>& nearby : all)
      if (output < nearby.size())
        measured = check::widened(*measured, exact[output], nearby[output], raised_by(all));
    if (measured->is_as_near() || measured->is_unstable) return measured;
  }
  const auto beside = distance_of_engines(model, set, output, result);
  return beside ? beside : measured;
}

std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

/// How far apart the reals are that each output may be, where it comes from a quantiser.
std::vector<std::optional<double>> quanta_of(const TracedModel& model, size_t outputs) {
  std::vector<std::optional<double>> out(outputs);
  if (const auto& graph = model.traced.with_quantised)
    for (size_t i = 0; i < std::min(outputs, graph->outputs.size()); ++i)
      out[i] = quant::quantum(*graph, i);
  return out;
}

/// What a wrong file could differ in unseen; `blind`: outputs that hardly react.
std::optional<Diagnostic> inconclusive(const CheckResult& result,
                                       const std::vector<std::string>& blind) {
  std::vector<std::string> says;
  if (!blind.empty()) says.push_back(cat("the check says nothing about ", listed(blind)));
  if (!result.unfollowed.empty())
    says.push_back(cat("no output was seen to follow the input ", listed(result.unfollowed)));
  if (result.has_unvaried_sizes) says.emplace_back("open sizes were not varied");
  if (says.empty()) return std::nullopt;
  Diagnostic out{.id = "inconclusive-check",
                 .message = says[0],
                 .where = {},
                 .details = {says.begin() + 1, says.end()},
                 .why = {},
                 .help = {}};
  if (!blind.empty()) {
    out.why = "different inputs give nearly the same output, so a wrong file would pass as well";
    out.help = "give real inputs with --input x=@file.npy, or a stricter level with --check=close";
  } else if (!result.unfollowed.empty()) {
    out.why = "a file that ignores it, or holds one value of it, would pass as well";
    out.help = "give real inputs with --input x=@file.npy";
  } else {
    out.why =
        "torch ran the model at the sample's sizes only, so a file that holds for these alone "
        "would pass as well";
    out.help = "give samples of other sizes with --input";
  }
  return out;
}

}  // namespace

std::optional<ir::Tensor> of_dtype(const ir::Tensor& tensor, ir::DType dtype) {
  if (tensor.dtype == dtype) return tensor;
  const bool alike = (ir::is_float(tensor.dtype) && ir::is_float(dtype)) ||
                     (ir::is_integer(tensor.dtype) && ir::is_integer(dtype));
  if (!alike) return std::nullopt;
  const ir::Tensor plain = ir::contiguous(tensor);
  ir::OwnedTensor out = ir::allocate(dtype, plain.shape);
  if (ir::cast_elements(plain.dtype, plain.bytes, dtype, out.data)) return std::nullopt;
  return out.tensor;
}

std::vector<ir::Tensor> sample_tensors(const TracedModel& model) {
  return graph_inputs(fill(model.samples, 0), model);
}

Takes takes_of(const nnef::Document& document) {
  Takes out{spec::size_rules(document), {}};
  for (size_t i = 0; i < out.rules.inputs.size(); ++i) out.places.push_back(i);
  return out;
}

/// What is known before the engine runs.
CheckResult begun(const InputSets& sets, const check::Runner& runner) {
  CheckResult result;
  result.engine = runner.name();
  result.reference = sets.reference;
  result.left_out = sets.left_out;
  result.sizes = sets.sizes;
  result.unfollowed = sets.unfollowed;
  result.has_unvaried_sizes = sets.has_unvaried_sizes;
  return result;
}

CheckResult check_on(InputSets& sets, const TracedModel& model,
                     const std::vector<std::string>& names, const CheckOptions& options,
                     check::Runner& runner, spec::Dialect dialect) {
  CheckResult result = begun(sets, runner);
  std::vector<std::optional<double>> times_torch;  // per output
  std::optional<double> most;
  if (is_strict(options.tolerance))
    most = check::kMostTimesTorch * std::max(1.0, longest_sum(model) / check::kShortSum);
  const std::vector<std::optional<double>> quanta = quanta_of(model, names.size());
  constexpr size_t kMeasured = 2;  // sets whose distance from f64 is measured whatever it is
  for (size_t at = 0; at < sets.sets.size(); ++at) {
    InputSet& set = sets.sets[at];
    result.sets.push_back(set.name);
    const std::string where = where_of(set);
    const auto actual = run_set(runner, set, model, where);
    if (actual.size() != set.expected.size())
      throw Error("engine-failed", cat("the engine gave ", actual.size(),
                                       " outputs, the model has ", set.expected.size()));
    bool is_unstable = false;
    for (size_t i = 0; i < actual.size(); ++i) {
      const ir::Tensor output = with_width(actual[i], set.expected[i], dialect);
      const check::Tolerance tolerance =
          at == 0 ? options.tolerance
                  : stretched(options.tolerance, sets.sets[0].expected[i], set.expected[i]);
      check::OutputRow row{.name = names[i],
                           .comparison = check::compare(set.expected[i], output, tolerance),
                           .response = {},
                           .moved = {},
                           .yardstick = {},
                           .times_torch = {},
                           .most_times_torch = most,
                           .quanta = {},
                           .where = where};
      const bool differs = row.comparison.verdict == check::Verdict::differs;
      std::optional<check::Yardstick> measured;
      if (row.comparison.mismatch.empty() && (differs || at < kMeasured))
        measured = distance(model, set, options.tolerance, i, output, differs);
      if (is_lenient(options.tolerance)) row.yardstick = measured;
      if (measured && !measured->is_unstable) {
        const double ratio = measured->ratio(row.comparison.dtype);
        times_torch.resize(actual.size());
        times_torch[i] = std::max(times_torch[i].value_or(0), ratio);
      }
      is_unstable = is_unstable || (measured && measured->is_unstable);
      if (quanta[i]) row.quanta = check::count_quanta(set.expected[i], output, *quanta[i]);
      keep_worst(result.rows, i, std::move(row));
    }
    result.unstable += is_unstable;
  }
  for (size_t i = 0; i < times_torch.size(); ++i) result.rows[i].times_torch = times_torch[i];
  if (model.inputs.empty()) return result;  // nothing that could move
  for (size_t i = 0; i < result.rows.size(); ++i) {
    result.rows[i].response = sets.movements[i].median();
    result.rows[i].moved = sets.movements[i].share();
  }
  return result;
}

CheckResult check_artefact(const std::string& path, TracedModel& model,
                           const std::vector<std::string>& names, const CheckOptions& options,
                           check::Runner& runner, spec::Dialect dialect, const Takes& takes) {
  require_sizes(model, takes);
  runner.load(path);
  InputSets sets = make_input_sets(model, options.seeds, options.tolerance, takes);
  return check_on(sets, model, names, options, runner, dialect);
}

void judge(CheckResult& result, const CheckOptions& options, const std::string& consequence,
           const Report& report) {
  Diagnostic mismatch{
      .id = "output-mismatch", .message = {}, .where = {}, .details = {}, .why = {}, .help = {}};
  std::vector<std::string> blind;
  for (const check::OutputRow& row : result.rows) {
    const check::Verdict verdict = check::verdict(row);
    if (verdict == check::Verdict::differs) {
      std::string text = check::mismatch_text(row.name, row.comparison);
      if (row.comparison.verdict != check::Verdict::differs)
        text = cat(quoted(row.name), " is ", static_cast<int64_t>(*row.times_torch),
                   " times as far from what f64 gives as torch is, at most ",
                   static_cast<int64_t>(*row.most_times_torch), " times are rounding");
      else if (!row.where.empty())
        text += cat(", ", row.where);
      if (mismatch.message.empty())
        mismatch.message = text;
      else
        mismatch.details.push_back(text);
    } else if (verdict == check::Verdict::inconclusive) {
      blind.push_back(quoted(row.name));
    }
  }
  if (!mismatch.message.empty()) {
    mismatch.why = cat(result.engine, " computes other values than the model", consequence);
    throw Error(std::move(mismatch));
  }
  const std::optional<Diagnostic> note = inconclusive(result, blind);
  result.inconclusive = note.has_value();
  if (!note) return;
  if (options.strict) throw Error(*note);
  Diagnostic warning = *note;
  warning.severity = Severity::warning;
  if (report) report(warning);
}

}  // namespace t2n
