// Expresses every size of a traced graph by the declared dynamic axes.
#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"
#include "src/dynamic/constraint_set.h"

namespace t2n::dynamic {

/// The program traced at certain sizes (keep_sizes on). All trials have the same nodes in the same
/// order; only sizes differ.
struct Probe {
  Sizes symbols;
  ir::Graph graph;
};

class ShapeRules;

struct InferOptions {
  std::vector<ir::Shape> inputs;  ///< of the graph inputs in order, over the symbols
  std::vector<Comparison> known;  ///< assertions about the symbols
  Orders orders = {};
};

/// A comparison that was true in every trial and that sizes depend on: the file must assert it.
struct Assumption {
  Comparison relation;
  std::string op;  ///< the operator whose sizes need it
  Where where;
};

/// Rewrites `trials[0].graph`: shapes of values and integer arguments become expressions over the
/// symbols, and kSampleSizes holds the trial's symbols. Returns the conditions for them. Errors:
/// `dynamic-size` with the place, if no rule of an operator gives a size, or no expression of the
/// program gives a number.
std::vector<Assumption> infer_shapes(std::vector<Probe>& probes, const InferOptions& options,
                                     const ShapeRules& rules);

/// An expression over the tracer's symbols of sizes (Decision::comparison…), rewritten over the
/// declared axes; a symbol that is not the size of a value stays. `graph` has gone through
/// infer_shapes.
ir::Dim over_axes(const ir::Dim& dim, const ir::Graph& graph);

}  // namespace t2n::dynamic
