// SPDX-License-Identifier: Apache-2.0
// The axes that `--dynamic` declares: the symbols in the inputs' shapes, their sizes in the sample,
// and assertions about them.
#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"
#include "ir/sizes.h"

namespace t2n::dynamic {

using ir::Comparison;  ///< from `--assert`, or inferred
using ir::Relation;
using ir::Sizes;  ///< the size of each symbol in one run
using ir::Symbol;

/// One axis of one input: "x:1=2*S".
struct AxisSpec {
  std::string input;  ///< as written: a name, a nested name, `input_N`, with wildcards
  int64_t axis = 0;   ///< negative ones count from the end
  ir::Dim size;
  std::string text;  ///< as written, for messages
};

/// Reads "x:1=2*S", "ids:-1=S", "past.0.1:2=P", "past.*:2=P". Errors: `usage`.
AxisSpec parse_axis(const std::string& text);

/// Reads "S>=1", "B == 2*P". Errors: `usage`.
Comparison parse_comparison(const std::string& text);

/// Errors: `usage` for an assertion without any axis, or with a symbol that none declares.
void require_declared(const std::vector<Comparison>& asserted, const std::vector<AxisSpec>& axes);

/// The inputs' shapes with the declared axes, and the symbols' sizes in the sample.
struct DynamicInputs {
  std::vector<ir::Shape> shapes;
  Sizes sample;
};

/// `names` and `samples`: those of the graph inputs, in order. Errors: `usage` for an unknown input
/// or axis, a symbol whose size the sample does not determine, and contradictory samples.
DynamicInputs bind_axes(const std::vector<AxisSpec>& axes, const std::vector<std::string>& names,
                        const std::vector<ir::Ints>& samples);

/// For a graph that was traced at the sample's sizes.
DynamicInputs bind_axes(const std::vector<AxisSpec>& axes, const ir::Graph& sample);

}  // namespace t2n::dynamic
