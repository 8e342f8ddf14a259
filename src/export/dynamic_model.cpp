#include "src/export/dynamic_model.h"

#include <algorithm>
#include <array>
#include <limits>

#include "ir/evaluator.h"
#include "ops/all.h"
#include "src/check/compare.h"
#include "src/diag/error.h"
#include "src/diag/one_of.h"
#include "src/dynamic/varying.h"
#include "src/export/graph_f64_distance.h"
#include "src/export/quantised_model.h"
#include "src/export/torch_module.h"
#include "src/export/variations.h"
#include "src/passes/pass.h"
#include "src/shapes/shape_rule.h"
#include "src/translate/registry.h"

namespace t2n {
namespace {

std::vector<std::string> input_names(const ir::Graph& graph) {
  std::vector<std::string> out;
  for (const ir::ValueId id : graph.inputs) out.push_back(graph.values[id].name);
  return out;
}

/// The model's trace in plain operations: quantised ones have no shape rules.
trace::Traced traced(trace::Session& session, const std::vector<trace::SampleInput>& inputs,
                     const trace::TraceOptions& options) {
  trace::Traced out = torch_module().trace(session, inputs, options);
  expand_quantised(out, true);
  return out;
}

/// Whether the graph computes what torch computed from these inputs.
bool computes(const ir::Graph& graph, const trace::Traced& expected,
              const std::vector<trace::SampleInput>& inputs) {
  std::vector<ir::Tensor> operands;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const std::string& name = graph.values[graph.inputs[i]].name;
    const auto found = std::find_if(inputs.begin(), inputs.end(), [&](const auto& input) {
      return is_sample_of(input, name, i);
    });
    T2N_ASSERT(found != inputs.end(), "no sample for ", name);
    operands.push_back(std::get<ir::Tensor>(found->value));
  }
  return agrees(expected.outputs, ir::run_graph(graph, operands, torch_module().evaluator()), {});
}

/// The new size of an axis that had `size` in the samples, or the smallest one of several; `size`
/// if no such axis changed.
int64_t new_size(const std::vector<Sample>& before, const std::vector<Sample>& now, int64_t size) {
  int64_t out = std::numeric_limits<int64_t>::max();
  for (size_t i = 0; i < before.size(); ++i) {
    const auto* old_tensor = std::get_if<ir::Tensor>(&before[i].input.value);
    const auto* new_tensor = std::get_if<ir::Tensor>(&now[i].input.value);
    if (old_tensor == nullptr || new_tensor == nullptr) continue;
    for (size_t axis = 0; axis < old_tensor->shape.size(); ++axis)
      if (old_tensor->shape[axis] == size && new_tensor->shape[axis] != size)
        out = std::min(out, new_tensor->shape[axis]);
  }
  return out == std::numeric_limits<int64_t>::max() ? size : out;
}

/// The smallest new size of axes that became shorter and were at least `number` long.
std::optional<int64_t> shortened(const std::vector<Sample>& before, const std::vector<Sample>& now,
                                 int64_t number) {
  std::optional<int64_t> out;
  for (size_t i = 0; i < before.size(); ++i) {
    const auto* old_tensor = std::get_if<ir::Tensor>(&before[i].input.value);
    const auto* new_tensor = std::get_if<ir::Tensor>(&now[i].input.value);
    if (old_tensor == nullptr || new_tensor == nullptr) continue;
    for (size_t axis = 0; axis < old_tensor->shape.size(); ++axis)
      if (old_tensor->shape[axis] >= number && new_tensor->shape[axis] < old_tensor->shape[axis])
        out = std::min(out.value_or(new_tensor->shape[axis]), new_tensor->shape[axis]);
  }
  return out;
}

/// Replaces numbers above `most`: indices by smaller ones, others by `most`.
void fit_values(Sample& sample, int64_t most, bool are_indices) {
  auto& tensor = std::get<ir::Tensor>(sample.input.value);
  if (tensor.bytes.empty() || tensor.dtype != ir::DType::i64) return;
  std::vector<int64_t> values = ir::to_i64(tensor);
  for (int64_t& each : values)
    if (each > most) each = are_indices ? each % (most + 1) : most;
  tensor = ordered(ir::tensor_of<int64_t>(ir::DType::i64, tensor.shape, values), sample.range);
}

/// Keeps sequence lengths and indices within an axis that became shorter. Numbers of unknown
/// meaning may refer to such an axis, too.
void fit_ranges(const std::vector<Sample>& before, std::vector<Sample>& now) {
  for (Sample& sample : now) {
    const auto* tensor = std::get_if<ir::Tensor>(&sample.input.value);
    if (tensor == nullptr || !ir::is_integer(tensor->dtype)) continue;
    if (!sample.range) {
      if (tensor->bytes.empty() || tensor->elements() == 0) continue;
      const std::vector<int64_t> values = ir::to_i64(*tensor);
      const int64_t most = *std::max_element(values.begin(), values.end());
      if (const auto size = most > 0 ? shortened(before, now, most) : std::nullopt)
        fit_values(sample, *size, false);
      continue;
    }
    const bool are_lengths = sample.range->are_lengths;
    const int64_t known = sample.range->second - (are_lengths ? 1 : 0);
    const int64_t size = new_size(before, now, known);
    if (size == known || (size > known && !are_lengths)) continue;
    sample.range->second = are_lengths ? size + 1 : size;
    fit_values(sample, sample.range->second - 1, !are_lengths);
  }
}

}  // namespace

std::vector<trace::SampleInput> drawn(const std::vector<Sample>& samples, uint64_t seed) {
  // Changes that affect masks, counts, signs and comparisons, including the extremes none and all.
  constexpr std::array<std::pair<Change, double>, 14> kFirst = {{{Change::redraw, 0},
                                                                 {Change::within, 0},
                                                                 {Change::scale, 1e-3},
                                                                 {Change::scale, -1e-3},
                                                                 {Change::scale, 30},
                                                                 {Change::redraw, 0},
                                                                 {Change::sign, -1},
                                                                 {Change::sign, 1},
                                                                 {Change::uniform, 0},
                                                                 {Change::uniform, 1},
                                                                 {Change::equal_rows, 0},
                                                                 {Change::within, 0},
                                                                 {Change::negate, 0},
                                                                 {Change::integers, 0}}};
  if (seed == 0) return fill(samples, 0);
  if (seed > kFirst.size()) {
    const bool redraws = seed % 3 == 0;
    return varied(samples, {.change = redraws ? Change::redraw : Change::equal_rows, .seed = seed});
  }
  const auto [change, factor] = kFirst.at(seed - 1);
  return varied(samples, {.change = change, .seed = seed, .factor = factor});
}

std::vector<Sample> with_ranges(std::vector<Sample> samples, const std::vector<std::string>& names,
                                const std::vector<std::optional<trace::IntegerRange>>& ranges) {
  for (size_t i = 0; i < names.size() && i < ranges.size(); ++i)
    for (Sample& sample : samples)
      if (!sample.range && is_sample_of(sample.input, names[i], i)) sample.range = ranges[i];
  return samples;
}

bool is_sample_of(const trace::SampleInput& sample, const std::string& name, size_t index) {
  const std::string flat = trace::flat_name(sample.path);
  return flat == name || flat == cat("input_", index);
}

std::vector<Sample> samples_at(const std::vector<Sample>& samples,
                               const std::vector<std::string>& names,
                               const std::vector<ir::Shape>& shapes, const dynamic::Sizes& sizes) {
  std::vector<Sample> out = samples;
  for (size_t i = 0; i < names.size(); ++i) {
    if (std::all_of(shapes[i].begin(), shapes[i].end(),
                    [](const ir::Dim& dim) { return dim.is_constant(); }))
      continue;
    for (Sample& sample : out) {
      auto* tensor = std::get_if<ir::Tensor>(&sample.input.value);
      if (tensor == nullptr || !is_sample_of(sample.input, names[i], i)) continue;
      *tensor = resized(*tensor, ir::evaluate(shapes[i], sizes));
      break;
    }
  }
  fit_ranges(samples, out);
  return out;
}

namespace {

dynamic::DynamicTrace trace_with(trace::Session& session, const std::vector<Sample>& samples,
                                 const DynamicOptions& dynamic, trace::TraceOptions options) {
  const Report report = options.report;
  trace::Traced sample = traced(session, fill(samples, 0), options);
  options.report = {};  // reported only once
  const std::vector<std::string> names = input_names(sample.graph);
  std::vector<ir::Ints> extents;
  for (const ir::ValueId id : sample.graph.inputs)
    extents.push_back(ir::static_shape(sample.graph.values[id].shape));
  const std::vector<ir::Shape> shapes = dynamic::bind_axes(dynamic.axes, names, extents).shapes;
  const std::vector<Sample> ranged = with_ranges(samples, names, sample.ranges);
  const auto inputs_at = [&](const dynamic::Sizes& sizes, uint64_t seed) {
    return drawn(samples_at(ranged, names, shapes, sizes), seed);
  };
  const auto trace_at = [&](const dynamic::Sizes& sizes, uint64_t seed,
                            const dynamic::Rewrites& rewrites) {
    options.rerolled_loops = rewrites.rerolled_loops;
    options.computed_numbers = rewrites.computed_numbers;
    options.selected_branches = rewrites.selected_branches;
    options.padded = rewrites.padded;
    options.fixed_branches = {};
    const std::vector<trace::SampleInput> inputs = inputs_at(sizes, seed);
    trace::Traced plain = traced(session, inputs, options);
    if (rewrites.fixed_branches.empty()) return plain;
    options.fixed_branches = rewrites.fixed_branches;
    trace::Traced fixed = traced(session, inputs, options);
    if (dynamic::computes_the_same(plain.graph, fixed.graph) &&
        std::equal(plain.outputs.begin(), plain.outputs.end(), fixed.outputs.begin(),
                   fixed.outputs.end(), ir::same_values))
      return fixed;
    throw Error("dynamic-differs",
                "a branch depends on a size, and its two sides compute different results", {},
                "compute the same for all sizes, or export one model per size");
  };
  const auto is_right = [&](const ir::Graph& graph, const dynamic::TraceAt& probe) {
    return computes(at_sizes(graph, probe.sizes), probe.traced, inputs_at(probe.sizes, probe.seed));
  };
  dynamic::DynamicTrace out = dynamic::trace_dynamic(
      std::move(sample), {dynamic.axes, dynamic.asserted, trace_at, dynamic.takes_orders, report,
                          is_right, ops::registry().table()});
  out.traced.graph.attributes[ir::kSampleSizes] = out.sample;
  out.traced.graph.attributes[ir::kRelations] = out.relations;
  if (!out.runtime_assertions.empty())
    out.traced.graph.attributes[ir::kRuntimeAssertions] = out.runtime_assertions;
  return out;
}

/// The result and the diagnostics of a trace.
struct Attempt {
  std::optional<dynamic::DynamicTrace> trace = {};
  std::optional<Error> error = {};
  DiagnosticList diagnostics = {};

  /// The number of restrictions on values or sizes that the model does not have.
  int64_t restrictions() const {
    return std::count_if(diagnostics.items.begin(), diagnostics.items.end(),
                         [](const Diagnostic& each) { return each.id == "dynamic-assumption"; });
  }
};

Attempt attempt(trace::Session& session, const std::vector<Sample>& samples,
                const DynamicOptions& dynamic, trace::TraceOptions options) {
  Attempt out;
  options.report = out.diagnostics.report();
  try {
    out.trace = trace_with(session, samples, dynamic, options);
  } catch (const Error& error) {
    out.error = error;
  }
  return out;
}

/// Whether a trace at larger sizes is valid for the sample's as well.
bool holds_at(const dynamic::DynamicTrace& trace, const dynamic::Sizes& sample) {
  return trace.runtime_assertions.empty() && trace.traced.states.empty() &&
         trace.sample.size() == sample.size() && ir::all_hold(trace.relations, sample);
}

/// Traces at larger sizes if a loop takes too few iterations in the sample to be compared. The
/// graph is then compared with torch at the sample's sizes, as at other small ones.
Attempt attempt_longer(trace::Session& session, const std::vector<Sample>& samples,
                       const DynamicOptions& dynamic, trace::TraceOptions options) {
  constexpr int kRounds = 3;
  options.report = {};
  const trace::Traced sample = traced(session, fill(samples, 0), options);
  const std::vector<std::string> names = input_names(sample.graph);
  std::vector<ir::Ints> extents;
  for (const ir::ValueId id : sample.graph.inputs)
    extents.push_back(ir::static_shape(sample.graph.values[id].shape));
  const auto [shapes, sizes] = dynamic::bind_axes(dynamic.axes, names, extents);
  const std::vector<Sample> ranged = with_ranges(samples, names, sample.ranges);
  dynamic::Chooser chooser(sizes, dynamic.asserted, dynamic::extents_of(sample.graph));
  for (int round = 0; round < kRounds; ++round) {
    const auto larger = chooser.next(ir::symbols_of(sizes), true);
    if (!larger) break;
    Attempt out = attempt(session, samples_at(ranged, names, shapes, *larger), dynamic, options);
    if (!out.trace || !holds_at(*out.trace, sizes)) continue;
    out.trace->sample = sizes;
    out.trace->traced.graph.attributes[ir::kSampleSizes] = sizes;
    out.trace->traced.outputs = sample.outputs;
    out.trace->traced.ranges = sample.ranges;
    return out;
  }
  return {};
}

/// A traced model contains only what Python computed at its sizes: one operand of max(a, b).
Error with_trace_note(const Error& error) {
  constexpr std::array<std::string_view, 4> kOfSizes = {"dynamic-assumption", "dynamic-differs",
                                                        "dynamic-failed", "dynamic-size"};
  Diagnostic out = error.diagnostic();
  if (is_one_of(out.id, kOfSizes))
    out.help +=
        cat(out.help.empty() ? "" : "; ",
            "the model was traced: a trace keeps only the results of min(), max(), if, int() and "
            "math in Python at the traced sizes, while torch.jit.script keeps the operations");
  return Error(std::move(out));
}

}  // namespace

dynamic::DynamicTrace trace_dynamic_model(trace::Session& session,
                                          const std::vector<Sample>& samples,
                                          const DynamicOptions& dynamic,
                                          trace::TraceOptions options) {
  options.keep_sizes = true;
  options.unbacked_sizes = true;
  bool has_read_numbers = false, has_size_tensors = false;
  options.met_read_numbers = &has_read_numbers;
  options.met_size_tensors = &has_size_tensors;
  Attempt best = attempt(session, samples, dynamic, options);
  if (has_read_numbers && (!best.trace || best.restrictions() > 0)) {
    // A number that was read from a tensor may be needed as a size, or lead to fewer restrictions.
    options.read_sizes = true;
    Attempt other = attempt(session, samples, dynamic, options);
    if (!best.trace || (other.trace && other.restrictions() < best.restrictions()))
      best = std::move(other);
  }
  if (best.error && best.error->diagnostic().id == "short-loop")
    if (Attempt longer = attempt_longer(session, samples, dynamic, options); longer.trace)
      best = std::move(longer);
  for (const Diagnostic& each : best.diagnostics.items)
    if (options.report) options.report(each);
  if (best.error) throw has_size_tensors ? with_trace_note(*best.error) : Error(*best.error);
  return *std::move(best.trace);
}

}  // namespace t2n
