// SPDX-License-Identifier: Apache-2.0
// Runs the recorded graph in f64, the reference for the rounding errors of torch and of engines.
#pragma once

#include <vector>

#include "src/check/input_sets.h"

namespace t2n {

/// Engines may round a value in either direction if it is this near to a tie.
constexpr double kNearTie = 0x1.0p-12;

/// Whether no output differs beyond the tolerance. Does not throw.
bool agrees(const std::vector<ir::Tensor>& expected, const std::vector<ir::Tensor>& actual,
            const check::Tolerance& tolerance);

/// The model's program at these sizes. Without declared axes the recorded graph is valid only at
/// the samples' sizes; it is the fallback if the model cannot be traced at others.
ir::Graph graph_at(const SourceModel& model, const dynamic::Sizes& sample_sizes,
                   const std::vector<trace::SampleInput>& inputs, const dynamic::Sizes& sizes);

/// The outputs in f64 for a set's inputs, cached in the set. Empty if the graph cannot run in f64,
/// or if it differs from torch in the model's own precision: then it is no reference.
const std::vector<ir::Tensor>& in_f64(const SourceModel& model, InputSet& set,
                                      const check::Tolerance& tolerance);

/// Outputs in f64 with every f32 of inputs and constants off by two roundings, and values before
/// rounding moved across ties, up or down: the effect of rounding in any engine. Two lists if the
/// model rounds to integers, else one; empty lists if the graph cannot run in f64.
const std::vector<std::vector<ir::Tensor>>& in_f64_nearby(const SourceModel& model, InputSet& set);

/// The outputs in f64, and with all values before rounding moved across ties, up and down,
/// including exact ties: the range of LibTorch's quantised kernels, whose orders of evaluation
/// differ.
std::vector<std::vector<ir::Tensor>> with_ties_moved(const SourceModel& model, const InputSet& set);

/// The results of LibTorch's other quantised engines that accept the model; cached in the set.
const std::vector<EngineRun>& in_other_engines(const SourceModel& model, InputSet& set);

/// Like in_f64, if the default engine is far from f64, but another one is not: on processors
/// without 8-bit products (VNNI), all engines but QNNPACK add pairs of products in saturating 16
/// bits.
const std::vector<ir::Tensor>& in_f64_of_engines(const SourceModel& model, InputSet& set,
                                                 const check::Tolerance& tolerance);

/// For a quantised model; cached in the set. Results are empty if the graph cannot run.
const KernelRuns& in_both_kernels(const SourceModel& model, InputSet& set);

/// The outputs of the recorded graph for a set's inputs; empty if it cannot run.
std::vector<ir::Tensor> run_recorded(const SourceModel& model, const InputSet& set,
                                     const ir::Evaluator& evaluate);

/// Whether the model rounds any value to an integer.
bool rounds(const SourceModel& model);

/// The number of elements in the model's longest sum, mean or variance, at the sample's sizes.
double longest_sum(const SourceModel& model);

/// Whether all intermediate floats of the graph are finite for these inputs; true if it cannot run.
bool stays_finite(const ir::Graph& graph, const std::vector<ir::Tensor>& inputs);

}  // namespace t2n
