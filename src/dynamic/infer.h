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
  /// One more trial at sizes not tried yet; asked for only where an operation has no rule.
  std::function<Trial()> more;
};

/// How a value's shape became known, where not by a rule.
struct Measured {
  ir::ValueId value = ir::kNoValue;
  std::string op;
};

/// Rewrites `trials[0].graph`: shapes of values and integer arguments become expressions of the
/// symbols, and kSampleSizes holds the symbols of the trial. An operation without a rule has its
/// sizes fitted on three trials and proven on a fourth; these are returned. Errors:
/// `dynamic-size` with the place, where a size follows no expression that can be found.
std::vector<Measured> infer_shapes(std::vector<Trial>& trials, const InferOptions& options);

}  // namespace t2n::dynamic
