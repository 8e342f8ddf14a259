// SPDX-License-Identifier: Apache-2.0
// Compares traces of one program at different sizes.
#pragma once

#include <optional>

#include "src/dynamic/axes.h"
#include "src/model/traced.h"

namespace t2n::dynamic {

struct TraceAt {
  Sizes sizes;
  trace::Traced traced;
  uint64_t seed = 0;  ///< of the input values; 0 for the sample's
};

/// "S=10, B=2"
std::string sizes_str(const Sizes& sizes);

/// The source location of a decision: module path and line.
Where location_of(const trace::Traced& traced, const trace::Decision& decision);

/// The first difference other than sizes: a branch, a loop, an operation, an argument or a
/// constant; `dynamic-differs` with its location. Nothing if the graphs are the same.
std::optional<Diagnostic> difference(const TraceAt& a, const TraceAt& b);
/// Errors: `dynamic-differs` if a run differs from the first.
void require_same(const std::vector<TraceAt>& runs);

/// True if the outputs of two runs are computed by the same operations, except for operations that
/// only move elements or add constants. Then equal results do not depend on the values.
bool computes_the_same(const ir::Graph& a, const ir::Graph& b);

/// True if the graph, whose sizes are expressions, is isomorphic to a trace at other sizes. Copies
/// that exist only for some strides, and that nothing can observe, are ignored.
bool is_isomorphic(const trace::Traced& graph, const TraceAt& other);

}  // namespace t2n::dynamic
