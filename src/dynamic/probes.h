// SPDX-License-Identifier: Apache-2.0
// Builds one graph for all sizes of the declared axes: traces the program at several sizes,
// compares the traces, and turns every size into an expression.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <vector>

#include "ir/program_point.h"
#include "src/diag/sink.h"
#include "src/dynamic/choose.h"
#include "src/dynamic/infer.h"
#include "src/dynamic/same.h"

namespace t2n::dynamic {

/// Program points (Decision::id) that are recorded in another form than they run.
struct Rewrites {
  std::set<ir::ProgramPoint> rerolled_loops;     ///< recorded as one scan
  std::set<ir::ProgramPoint> computed_numbers;   ///< recorded with numbers that the graph computes
  std::set<ir::ProgramPoint> selected_branches;  ///< both branches are recorded, with selects
  /// Fixed to one direction at all sizes. The tracer checks that the results are the model's.
  std::map<ir::ProgramPoint, int64_t> fixed_branches;
  std::map<ir::ProgramPoint, int64_t> padded;  ///< see TraceOptions
};

/// Traces the program at certain sizes. `seed` selects the input values: 0 for the sample's.
/// Errors: those of trace(); `forward-failed` means that the model does not run at these sizes.
using Tracer =
    std::function<trace::Traced(const Sizes& sizes, uint64_t seed, const Rewrites& rewrites)>;

struct Request {
  std::vector<AxisSpec> axes;
  std::vector<Comparison> asserted;
  Tracer trace;
  bool takes_orders = false;  ///< see OpenOrders
  Report report;
  /// True if a graph with symbolic sizes computes what torch computed in a run.
  std::function<bool(const ir::Graph& graph, const TraceAt& run)> is_right;
  const ir::OpTable& operators;
};

struct DynamicTrace {
  trace::Traced traced;               ///< at the sample's sizes; its shapes are expressions
  std::vector<ir::Shape> inputs;      ///< of the graph inputs
  std::vector<Comparison> relations;  ///< the graph's assumptions, and the user's assertions
  std::vector<Comparison> runtime_assertions;  ///< the same for data-dependent sizes
  Sizes sample;                                ///< the size of every symbol
  bool has_orders = false;                     ///< whether shapes have minima or maxima
  Chooser chooser;                             ///< chooses sizes for the check
};

/// `sample`: the program traced at the sample's sizes, keep_sizes on. Warns of suspicious literals.
/// Errors: `usage`; `dynamic-failed` if the model runs at no other sizes; `dynamic-differs` and
/// `dynamic-size` if no single graph fits all of them.
DynamicTrace trace_dynamic(trace::Traced sample, const Request& request);

}  // namespace t2n::dynamic
