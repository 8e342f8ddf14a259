// SPDX-License-Identifier: Apache-2.0
// Runs passes one by one, and compares what the graph computes before and after each.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "src/check/compare.h"
#include "src/passes/pass.h"

namespace t2n {

/// One set of inputs, in the graph's order; complex ones unchanged.
struct GraphInputs {
  std::string name;  ///< "the samples", "all changed"
  std::vector<ir::Tensor> tensors;
};

struct StepOutput {
  std::string name;
  check::Deviation comparison;  ///< the worst of all sets
  std::string set;              ///< the set it belongs to
};

struct PassStep {
  passes::PassInfo pass;
  bool changed = false;  ///< the graph
  double seconds = 0;
  std::vector<StepOutput> outputs;   ///< empty if the graph did not change, or was not run
  std::string unknown;               ///< why the graph could not run
  std::optional<std::string> fault;  ///< a message, as "'y'[0]: expected 1, got 2"
};

struct StepOptions {
  passes::PipelineOptions passes;
  std::vector<GraphInputs> sets;  ///< empty: nothing is run
  /// The model's own results for a set, if the first graph cannot run, as with quantised tensors.
  /// Empty: unknown.
  std::function<std::vector<ir::Tensor>(size_t set)> model;
  check::Tolerance tolerance;
  /// Compares with the first graph, and continues after a fault; otherwise compares with the graph
  /// before the pass, and stops at the first fault.
  bool against_first = false;
};

struct PassSteps {
  std::vector<PassStep> steps;
  size_t sets = 0;                    ///< number of sets that were run
  std::string refused;                ///< why the first graph could not run
  bool uses_model = false;            ///< the model was run instead of the first graph
  std::vector<std::string> left_out;  ///< sets on which nothing runs
  std::vector<std::string> random;    ///< outputs that cannot be compared

  /// The first step with a fault.
  const PassStep* faulty() const;
};

/// Runs the passes in order. A fault is an output outside of the tolerance, or, for a pass that
/// only moves values, any changed bit; with `against_first` after any pass, else after those that
/// keep values. A graph that cannot run although an earlier one could is a fault, too. Errors:
/// those of the passes.
PassSteps run_steps(ir::Graph& graph, const std::vector<passes::PassInfo>& pipeline,
                    const passes::PassContext& context, const StepOptions& options);

/// The error for a fault: `pass-changed-values`.
Error fault_error(const PassStep& step, bool against_first);

}  // namespace t2n
