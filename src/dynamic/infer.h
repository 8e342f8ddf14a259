// Every size of a traced graph as an expression of the declared dynamic axes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "src/dynamic/axes.h"

namespace t2n::dynamic {

/// The program traced at some sizes (keep_sizes on). All trials have the same nodes in the same
/// order; only sizes differ.
struct Trial {
  Sizes symbols;
  ir::Graph graph;
};

struct InferOptions {
  std::vector<ir::Shape> inputs;  ///< of the graph inputs in order, over the symbols
  /// One more trial at sizes not tried yet; asked for only where a size has to be measured.
  std::function<Trial()> more;
};

/// A value whose shape, or an operation whose argument, did not become known by rules.
struct Measured {
  ir::ValueId value = ir::kNoValue;  ///< kNoValue for an argument and inside the body of a scan
  std::string op;
  /// There is a rule and it is wrong: a bug of ours, harmless for the sizes were measured.
  bool rule_failed = false;
};

/// What was true in every trial and is needed for the sizes to hold: to be asserted in the file.
struct Assumption {
  Comparison relation;
  std::string op;  ///< whose sizes need it
  Where where;
};

struct Inferred {
  std::vector<Measured> measured;
  std::vector<Assumption> assumptions;  ///< each relation once, with the first that needs it
};

/// Rewrites `trials[0].graph`: shapes of values and integer arguments become expressions of the
/// symbols, and kSampleSizes holds the symbols of the trial. What no rule knows is fitted on the
/// trials, with more of them than unknowns. Errors: `dynamic-size` with the place, where a size
/// follows no expression that can be found.
Inferred infer_shapes(std::vector<Trial>& trials, const InferOptions& options);

/// An expression over the tracer's symbols `size.<value>.<axis>` (Decision::left…) as one of the
/// declared axes. `graph` has gone through infer_shapes.
ir::Dim over_axes(const ir::Dim& dim, const ir::Graph& graph);

}  // namespace t2n::dynamic
