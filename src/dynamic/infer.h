// Every size of a traced graph as an expression of the declared dynamic axes.
#pragma once

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

class ShapeRules;

struct InferOptions {
  std::vector<ir::Shape> inputs;  ///< of the graph inputs in order, over the symbols
  std::vector<Comparison> known;  ///< what is asserted of the symbols
};

/// What was true in every trial and is needed for the sizes to hold: to be asserted in the file.
struct Assumption {
  Comparison relation;
  std::string op;  ///< whose sizes need it
  Where where;
};

/// Rewrites `trials[0].graph`: shapes of values and integer arguments become expressions of the
/// symbols, and kSampleSizes holds the symbols of the trial. Returns what has to be true of them.
/// Errors: `dynamic-size` with the place, where a size follows from no rule of the operator, or a
/// number from no expression of the program.
std::vector<Assumption> infer_shapes(std::vector<Trial>& trials, const InferOptions& options,
                                     const ShapeRules& rules);

/// An expression over the tracer's symbols of sizes (Decision::comparison…) as one of the declared
/// axes; what is the size of no value stays. `graph` has gone through infer_shapes.
ir::Dim over_axes(const ir::Dim& dim, const ir::Graph& graph);

}  // namespace t2n::dynamic
