// Passes one by one, with what the graph computes before and after each.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "src/check/compare.h"
#include "src/passes/pass.h"

namespace t2n {

/// One set of inputs, in the order of the graph's; complex ones as they are.
struct GraphInputs {
  std::string name;  ///< "the samples", "all changed"
  std::vector<ir::Tensor> tensors;
};

struct StepOutput {
  std::string name;
  check::Comparison comparison;  ///< the worst of all sets
  std::string set;               ///< the one that it is of
};

struct PassStep {
  passes::PassInfo pass;
  bool changed = false;  ///< the graph
  double seconds = 0;
  std::vector<StepOutput> outputs;   ///< empty where the graph did not change, or was not run
  std::string unknown;               ///< why the graph could not be run
  std::optional<std::string> fault;  ///< what is wrong, as a message: "'y'[0]: expected 1, got 2"
};

struct StepOptions {
  passes::PipelineOptions passes;
  std::vector<GraphInputs> sets;  ///< none: nothing is run
  /// What the model itself gives for a set, where the first graph cannot be run: operators of
  /// quantised tensors are not one by one. Empty: nobody knows.
  std::function<std::vector<ir::Tensor>(size_t set)> model;
  check::Tolerance tolerance;
  /// Compare with the first graph, and go on behind a fault; else with the graph before the pass,
  /// up to the first fault.
  bool against_first = false;
};

struct Steps {
  std::vector<PassStep> steps;
  size_t sets = 0;                    ///< those that were run
  std::string refused;                ///< why the first graph could not be run
  bool asks_model = false;            ///< the model stood for it
  std::vector<std::string> left_out;  ///< of the sets, those that nothing runs on
  std::vector<std::string> random;    ///< outputs that nobody can compare

  /// The first that has a fault.
  const PassStep* faulty() const;
};

/// Runs the passes in order. A fault is an output outside of the tolerance, or of a pass that only
/// moves, any other bit; with `against_first`, of any pass, else of those that keep values. A graph
/// that cannot be run is one, too, if an earlier one could. Errors: those of the passes.
Steps run_steps(ir::Graph& graph, const std::vector<passes::PassInfo>& pipeline,
                const passes::PassContext& context, const StepOptions& options);

/// What to throw: `pass-changed-values`.
Error fault_error(const PassStep& step, bool against_first);

}  // namespace t2n
