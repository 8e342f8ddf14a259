// Input sets from the samples, their references from torch, and what the comparisons say.
#include "src/export/check_model.h"

#include <algorithm>
#include <cmath>

#include "ir/cast.h"
#include "src/diag/error.h"
#include "src/export/torch_module.h"

namespace t2n {
namespace {

std::vector<ir::Tensor> tensor_leaves(const std::vector<trace::SampleInput>& inputs,
                                      const TracedModel& model) {
  const ir::Graph& graph = model.traced.graph;
  std::vector<ir::Tensor> out;
  for (const ir::ValueId id : graph.inputs) {
    const std::string& name = graph.values[static_cast<size_t>(id)].name;
    const auto place = std::find(model.inputs.begin(), model.inputs.end(), name);
    for (const trace::SampleInput& input : inputs) {
      if (!is_sample_of(input, name, static_cast<size_t>(place - model.inputs.begin()))) continue;
      out.push_back(ir::as_pairs(std::get<ir::Tensor>(input.value)));
      break;
    }
  }
  T2N_ASSERT(out.size() == graph.inputs.size(), "the graph has ", graph.inputs.size(), " inputs, ",
             out.size(), " have values");
  return out;
}

/// Errors: `input-sizes`.
void check_sizes(const std::vector<Sample>& samples, const TracedModel& model, const Takes& takes) {
  std::vector<trace::SampleInput> inputs;
  for (const Sample& sample : samples) inputs.push_back(sample.input);
  const std::vector<ir::Tensor> tensors = tensor_leaves(inputs, model);
  std::vector<ir::Ints> shapes;
  for (const size_t place : takes.places) shapes.push_back(tensors[place].shape);
  spec::bind_sizes(takes.rules, shapes);
}

bool is_worse(const check::Comparison& a, const check::Comparison& b) {
  if (a.verdict != b.verdict) return a.verdict == check::Verdict::differs;
  return a.max_abs > b.max_abs;
}

/// What one run of the check feeds.
struct InputSet {
  std::vector<trace::SampleInput> inputs;
  std::vector<ir::Tensor> expected;
  size_t sizes = 0;  ///< which setting of the symbols
};

bool is_finite(const ir::Tensor& tensor) {
  if (!ir::is_float(tensor.dtype)) return true;
  const std::vector<double> values = ir::to_f64(tensor);
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

/// Integers of no known range are 0 or 1, which shows little of `x // 3`: a model that takes larger
/// ones is fed some. What is not finite then was no input for it.
std::optional<InputSet> larger_integers(TracedModel& model) {
  std::vector<Sample> samples = model.samples;
  bool is_any = false;
  for (Sample& sample : samples) {
    const auto* tensor = std::get_if<ir::Tensor>(&sample.input.value);
    if (tensor == nullptr || !tensor->bytes.empty() || sample.range) continue;
    if (!ir::is_integer(tensor->dtype) || tensor->dtype == ir::DType::boolean) continue;
    sample.range = trace::Range{0, 10};
    is_any = true;
  }
  if (!is_any) return {};
  InputSet out{fill(samples, 1), {}, 0};
  try {
    out.expected = torch_module().run(*model.session, out.inputs);
  } catch (const Error& error) {
    if (error.diagnostic().id != "forward-failed") throw;
    return {};
  }
  const bool is_right = std::all_of(out.expected.begin(), out.expected.end(), is_finite);
  return is_right ? std::optional(std::move(out)) : std::nullopt;
}

/// The sample's sizes with several seeds, then two further settings of the dynamic axes.
std::vector<InputSet> input_sets(TracedModel& model, const CheckOptions& options,
                                 const Takes& takes, std::vector<dynamic::Sizes>& sizes) {
  std::vector<InputSet> out = {{fill(model.samples, 0), model.traced.outputs, 0}};
  for (int seed = 1; seed < std::max(options.seeds, 2); ++seed) {
    auto inputs = fill(model.samples, static_cast<uint64_t>(seed));
    auto expected = torch_module().run(*model.session, inputs);
    out.push_back({std::move(inputs), std::move(expected), 0});
  }
  if (auto larger = larger_integers(model)) out.push_back(*std::move(larger));
  if (!model.dynamic) return out;
  sizes = {model.dynamic->chooser.sample()};
  std::optional<Error> excluded;
  const auto runs = [&](const dynamic::Sizes& at) {
    const auto samples = samples_at(model.samples, model.inputs, model.dynamic->inputs, at);
    try {
      check_sizes(samples, model, takes);
    } catch (const Error& error) {
      if (!excluded) excluded = error;
      return false;
    }
    auto inputs = fill(samples, 1);
    try {
      auto expected = torch_module().run(*model.session, inputs);
      out.push_back({std::move(inputs), std::move(expected), sizes.size()});
    } catch (const Error& error) {
      if (error.diagnostic().id != "forward-failed") throw;
      return false;
    }
    sizes.push_back(at);
    return true;
  };
  sizes_to_check(model.dynamic->chooser, runs);
  if (sizes.size() == 1 && excluded) throw Error(*excluded);
  return out;
}

/// An engine that fails at other sizes fails because of them: the message says so.
std::vector<ir::Tensor> run_set(check::Runner& runner, const InputSet& set,
                                const TracedModel& model,
                                const std::vector<dynamic::Sizes>& sizes) {
  try {
    return runner.run(tensor_leaves(set.inputs, model));
  } catch (const Error& error) {
    if (sizes.empty()) throw;
    Diagnostic diagnostic = error.diagnostic();
    diagnostic.message += cat(", at ", dynamic::sizes_str(sizes[set.sizes]));
    throw Error(std::move(diagnostic));
  }
}

/// An output as the dialect knows it.
ir::Tensor with_width(const ir::Tensor& actual, const ir::Tensor& expected, spec::Dialect dialect) {
  if (dialect == spec::Dialect::tract) return actual;
  return of_dtype(actual, ir::component_dtype(expected.dtype)).value_or(actual);
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
  return tensor_leaves(fill(model.samples, 0), model);
}

Takes takes_of(const nnef::Document& document) {
  Takes out{spec::size_rules(document), {}};
  for (size_t i = 0; i < out.rules.inputs.size(); ++i) out.places.push_back(i);
  return out;
}

CheckResult check_artefact(const std::string& path, TracedModel& model,
                           const std::vector<std::string>& names, const CheckOptions& options,
                           check::Runner& runner, spec::Dialect dialect, const Takes& takes) {
  CheckResult result;
  check_sizes(model.samples, model, takes);
  runner.load(path);
  result.engine = runner.name();
  const std::vector<InputSet> sets = input_sets(model, options, takes, result.sizes);
  for (const InputSet& set : sets) {
    const auto actual = run_set(runner, set, model, result.sizes);
    if (actual.size() != set.expected.size())
      throw Error("engine-failed", cat("the engine gave ", actual.size(),
                                       " outputs, the model has ", set.expected.size()));
    for (size_t i = 0; i < actual.size(); ++i) {
      const ir::Tensor output = with_width(actual[i], set.expected[i], dialect);
      check::OutputRow row{names[i], check::compare(set.expected[i], output, options.tolerance),
                           std::nullopt, ""};
      if (set.sizes > 0) row.sizes = dynamic::sizes_str(result.sizes[set.sizes]);
      if (result.rows.size() <= i)
        result.rows.push_back(std::move(row));
      else if (is_worse(row.comparison, result.rows[i].comparison))
        result.rows[i] = std::move(row);
    }
  }
  for (size_t i = 0; i < result.rows.size(); ++i)
    for (const InputSet& set : sets)
      if (&set != &sets[0] && set.sizes == 0)
        result.rows[i].response =
            std::max(result.rows[i].response.value_or(0),
                     check::response(sets[0].expected[i], set.expected[i], options.tolerance));
  return result;
}

void judge(CheckResult& result, const CheckOptions& options, const std::string& consequence,
           const Report& report) {
  Diagnostic mismatch{
      .id = "output-mismatch", .message = {}, .where = {}, .details = {}, .why = {}, .help = {}};
  std::string blind;
  for (const check::OutputRow& row : result.rows) {
    const check::Verdict verdict = check::verdict(row);
    if (verdict == check::Verdict::differs) {
      std::string text = check::mismatch_text(row.name, row.comparison);
      if (!row.sizes.empty()) text += cat(", at ", row.sizes);
      if (mismatch.message.empty())
        mismatch.message = text;
      else
        mismatch.details.push_back(text);
    } else if (verdict == check::Verdict::inconclusive) {
      blind += (blind.empty() ? "" : ", ") + quoted(row.name);
    }
  }
  if (!mismatch.message.empty()) {
    mismatch.why = cat(result.engine, " computes other values than the model", consequence);
    throw Error(std::move(mismatch));
  }
  result.inconclusive = !blind.empty();
  if (blind.empty()) return;
  Diagnostic note{
      .severity = options.strict ? Severity::error : Severity::warning,
      .id = "inconclusive-check",
      .message = cat("the check says nothing about ", blind),
      .where = {},
      .details = {},
      .why = "different inputs give nearly the same output, so a wrong file would pass as well",
      .help = "give real inputs with --input x=@file.npy, or a stricter level with --check=close"};
  if (options.strict) throw Error(std::move(note));
  if (report) report(note);
}

}  // namespace t2n
