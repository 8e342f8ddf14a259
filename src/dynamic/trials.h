// From declared axes to one graph that holds for all their sizes: the program is traced at several
// sizes, the traces are compared, and every size becomes an expression.
#pragma once

#include <functional>
#include <set>
#include <vector>

#include "src/diag/sink.h"
#include "src/dynamic/choose.h"
#include "src/dynamic/infer.h"
#include "src/dynamic/same.h"

namespace t2n::dynamic {

/// Places of the program (Decision::id) that are recorded otherwise than they run.
struct Rewrites {
  std::set<const void*> rolled_loops;      ///< as one scan
  std::set<const void*> computed_numbers;  ///< with numbers that the graph computes
};

/// Traces the program at some sizes, with the sample's values, or with others: `draw` is 1 for the
/// first of them. Errors: those of trace(); `forward-failed` means that the model does not run at
/// them.
using Tracer =
    std::function<trace::Traced(const Sizes& sizes, uint64_t draw, const Rewrites& rewrites)>;

struct Request {
  std::vector<AxisSpec> axes;
  std::vector<Comparison> asserted;
  Tracer trace;
  Report report;
  /// Whether a graph with expressions for sizes computes what torch did in a trace there.
  std::function<bool(const ir::Graph& graph, const TraceAt& there)> is_right;
  const ShapeRules& rules;
};

struct DynamicTrace {
  trace::Traced traced;               ///< at the sample's sizes; its shapes are expressions
  std::vector<ir::Shape> inputs;      ///< of the graph inputs
  std::vector<Comparison> relations;  ///< what the graph assumes, and what was asserted
  std::vector<Comparison> demands;    ///< the same of sizes that follow from values
  Sizes sample;                       ///< what all symbols were
  Chooser chooser;                    ///< for sizes to check at
};

/// `sample`: the program traced at the sample's sizes, keep_sizes on. Reports what is suspicious.
/// Errors: `usage`; `dynamic-failed` if the model runs at no other sizes; `dynamic-differs` and
/// `dynamic-size` if no one graph serves them.
DynamicTrace trace_dynamic(trace::Traced sample, const Request& request);

}  // namespace t2n::dynamic
