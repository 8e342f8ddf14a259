// SPDX-License-Identifier: Apache-2.0
// Samples for the inputs of a graph: by name, within ranges, and at other sizes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/dynamic/axes.h"
#include "src/samples/samples.h"

namespace t2n {

/// Whether a sample is the one for graph input `index`, called `name`.
bool is_sample_of(const trace::SampleInput& sample, const std::string& name, size_t index);

/// The tensors for the inputs of a graph with these names, in their order.
std::vector<ir::Tensor> values_of(const std::vector<trace::SampleInput>& inputs,
                                  const std::vector<std::string>& names);

/// Adds the ranges that the trace found to the samples of the graph inputs `names`, even to samples
/// with values: varied values respect them.
std::vector<Sample> with_ranges(std::vector<Sample> samples, const std::vector<std::string>& names,
                                const std::vector<std::optional<trace::IntegerRange>>& ranges);

/// The samples with the graph inputs' shapes at `sizes`; `names` are the inputs' names. Sequence
/// lengths and indices stay within axes that became shorter.
std::vector<Sample> samples_at(const std::vector<Sample>& samples,
                               const std::vector<std::string>& names,
                               const std::vector<ir::Shape>& shapes, const dynamic::Sizes& sizes);

}  // namespace t2n
