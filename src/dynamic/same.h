// Whether two traces of one program at different sizes are the same graph.
#pragma once

#include <optional>

#include "src/dynamic/axes.h"
#include "src/model/traced.h"

namespace t2n::dynamic {

struct TraceAt {
  Sizes sizes;
  trace::Traced traced;
  uint64_t draw = 0;  ///< number of the inputs' values; 0 for the sample's
};

/// "S=10, B=2"
std::string sizes_str(const Sizes& sizes);

/// The place of a decision: module path and source line.
Where place_of(const trace::Traced& traced, const trace::Decision& decision);

/// The first difference other than sizes: a branch, a loop, an operation, an argument or a
/// constant; `dynamic-differs` with its place. Nothing if the graphs are the same.
std::optional<Diagnostic> difference(const TraceAt& a, const TraceAt& b);
/// Errors: `dynamic-differs` if a run differs from the first.
void require_same(const std::vector<TraceAt>& runs);

/// Whether the outputs of two runs of a program are computed alike, but for operations that only
/// move elements or set constants beside them. Then equal results are no matter of the values.
bool computes_the_same(const ir::Graph& a, const ir::Graph& b);

/// Whether the graph, whose sizes are expressions, equals what was traced at other sizes. Copies
/// that exist only for some strides, and that nothing can observe, do not count.
bool is_isomorphic(const trace::Traced& graph, const TraceAt& other);

}  // namespace t2n::dynamic
