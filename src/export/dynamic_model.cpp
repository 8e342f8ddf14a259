// SPDX-License-Identifier: Apache-2.0
#include "src/export/dynamic_model.h"

#include <algorithm>
#include <array>

#include "ir/evaluator.h"
#include "ops/all.h"
#include "src/check/compare.h"
#include "src/check/graph_f64_distance.h"
#include "src/diag/error.h"
#include "src/diag/one_of.h"
#include "src/dynamic/same.h"
#include "src/dynamic/varying.h"
#include "src/export/quantised_model.h"
#include "src/model/torch_module.h"
#include "src/passes/pass.h"
#include "src/passes/passes.h"
#include "src/samples/samples_at.h"
#include "src/samples/variations.h"
#include "src/shapes/shape_rule.h"
#include "src/translate/registry.h"

namespace t2n {
namespace {

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
  const std::vector<ir::Tensor> operands = values_of(inputs, ir::input_names(graph));
  return agrees(expected.outputs, ir::run_graph(graph, operands, torch_module().evaluator()), {});
}

/// Values for every tensor: the samples' if `seed` is 0, else others that lead to other
/// data-dependent sizes.
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

}  // namespace

namespace {

dynamic::DynamicTrace trace_with(trace::Session& session, const std::vector<Sample>& samples,
                                 const DynamicOptions& dynamic, trace::TraceOptions options) {
  const Report report = options.report;
  trace::Traced sample = traced(session, fill(samples, 0), options);
  options.report = {};  // reported only once
  const std::vector<std::string> names = ir::input_names(sample.graph);
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
    dynamic.progress.detail(cat("at ", dynamic::sizes_str(sizes)));
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
    return computes(passes::at_sizes(graph, probe.sizes), probe.traced,
                    inputs_at(probe.sizes, probe.seed));
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
  const std::vector<std::string> names = ir::input_names(sample.graph);
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
  return {std::move(out), error.others()};
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
