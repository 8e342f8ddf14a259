// Runs the recorded graph in f64: the distance of torch itself from what the model means.
#pragma once

#include <vector>

#include "src/export/input_sets.h"

namespace t2n {

/// If a value before rounding is so near to a tie, engines may round to either side.
constexpr double kNearTie = 0x1.0p-12;

/// Whether no output differs. Does not throw.
bool agrees(const std::vector<ir::Tensor>& expected, const std::vector<ir::Tensor>& actual,
            const check::Tolerance& tolerance);

/// The graph with numbers for its symbols.
ir::Graph at_sizes(const ir::Graph& graph, const dynamic::Sizes& sizes);

/// The model's program at these sizes. Without declared axes the recorded graph is of the samples'
/// sizes only; it stands in where the model cannot be traced at others.
ir::Graph graph_at(TracedModel& model, const dynamic::Sizes& of_samples,
                   const std::vector<trace::SampleInput>& inputs, const dynamic::Sizes& at);

/// The result of a compressed model's graph, over LibTorch's kernels, for inputs at these sizes.
/// Errors: `forward-failed`.
std::vector<ir::Tensor> in_compressed(const TracedModel& model,
                                      const std::vector<trace::SampleInput>& inputs,
                                      const dynamic::Sizes& sizes);

/// The outputs in f64 for a set's inputs, cached in the set. None if the graph cannot run in f64,
/// or if in the model's own precision it does not compute what torch computes: then it is no
/// measure.
const std::vector<ir::Tensor>& in_f64(const TracedModel& model, InputSet& set,
                                      const check::Tolerance& tolerance);

/// Outputs in f64 with every f32 of inputs and constants off by two roundings, and values before
/// rounding to whole numbers moved across ties, up or down: the effect of rounding in any engine.
/// These are two lists if the model rounds to whole numbers, else one; empty if the graph cannot
/// run in f64.
const std::vector<std::vector<ir::Tensor>>& in_f64_nearby(const TracedModel& model, InputSet& set);

/// In f64, and with all values before rounding moved across ties, up and down, exact ties too: what
/// LibTorch's quantised kernels may give, each of which computes in an order of its own.
std::vector<std::vector<ir::Tensor>> with_ties_moved(const TracedModel& model, const InputSet& set);

/// The results of LibTorch's other quantised engines, except those that refuse the model; cached in
/// the set.
const std::vector<EngineRun>& in_other_engines(const TracedModel& model, InputSet& set);

/// As in_f64, where the default engine is far from f64 and another one is not: on processors
/// without products of bytes (VNNI), all but QNNPACK add up pairs of products in 16 bits, and cut
/// them off.
const std::vector<ir::Tensor>& in_f64_of_engines(const TracedModel& model, InputSet& set,
                                                 const check::Tolerance& tolerance);

/// For a quantised model, cached in the set; results are empty if the graph cannot run.
const KernelRuns& in_both_kernels(const TracedModel& model, InputSet& set);

/// The outputs of the recorded graph for a set's inputs; none if it cannot run.
std::vector<ir::Tensor> run_recorded(const TracedModel& model, const InputSet& set,
                                     const ir::Evaluator& evaluate);

/// Whether the model rounds anything to whole numbers.
bool rounds(const TracedModel& model);

/// The number of elements in the model's longest sum, mean or spread, at the sample's sizes.
double longest_sum(const TracedModel& model);

/// Whether all floats that the graph computes on its way, from inputs in order, are finite; true if
/// it does not run.
bool stays_finite(const ir::Graph& graph, const std::vector<ir::Tensor>& inputs);

}  // namespace t2n
