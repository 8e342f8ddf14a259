// The recorded graph in f64: how far torch itself is from what the model means.
#pragma once

#include <vector>

#include "src/export/input_sets.h"

namespace t2n {

/// Whether no output differs. Errors: none.
bool agrees(const std::vector<ir::Tensor>& expected, const std::vector<ir::Tensor>& actual,
            const check::Tolerance& tolerance);

/// The graph with numbers for its symbols.
ir::Graph at_sizes(const ir::Graph& graph, const dynamic::Sizes& sizes);

/// What the graph of a compressed model gives, over LibTorch's kernels, for inputs at these sizes.
/// Errors: `forward-failed`.
std::vector<ir::Tensor> in_compressed(const TracedModel& model,
                                      const std::vector<trace::SampleInput>& inputs,
                                      const dynamic::Sizes& sizes);

/// Outputs in f64 for the inputs of a set, which keeps them. None where the graph cannot be run so,
/// or where, run in the model's own precision, it is not what torch computes: then it is no
/// measure.
const std::vector<ir::Tensor>& in_f64(const TracedModel& model, InputSet& set,
                                      const check::Tolerance& tolerance);

/// Outputs in f64 where every f32 of the inputs and constants is two roundings off, and what is
/// rounded to whole numbers lies on the other side of ties, above or below: what rounding costs in
/// any engine. Those are two lists where the model rounds to whole numbers, else one; empty where
/// the graph cannot be run so.
const std::vector<std::vector<ir::Tensor>>& in_f64_nearby(const TracedModel& model, InputSet& set);

/// Whether anything in the model is rounded to whole numbers.
bool rounds(const TracedModel& model);

/// How many elements the longest sum, mean or spread of the model takes in, at the sample's sizes.
double longest_sum(const TracedModel& model);

}  // namespace t2n
