// SPDX-License-Identifier: Apache-2.0
// Runs a graph with observers over a set of inputs.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "ir/evaluator.h"
#include "src/compress/calibrate/moments.h"
#include "src/compress/calibrate/observe.h"

namespace t2n::compress {

/// The graph's next inputs, in its order; an empty list after the last ones.
using Batches = std::function<std::vector<ir::Tensor>()>;

/// The graph with its symbols replaced by the sizes of a batch.
using AtBatch = std::function<ir::Graph(const std::vector<ir::Tensor>& batch)>;

/// Runs the graph over all batches and writes the range that each observer recorded into its
/// arguments. Memory holds one batch and the observers' state at a time. Constants are not
/// observed, since they do not depend on the set. `requests`: the moments to compute, by the
/// layer's address; they become an attribute of the graph (moments.h). Returns the number of
/// batches. Errors: `calibration` for NaN and infinities; those of the evaluator.
size_t calibrate(ir::Graph& graph, const Batches& batches, const AtBatch& at_batch,
                 const ir::Evaluator& evaluate,
                 const std::map<std::string, MomentRequest>& requests = {});

/// Observations for graphs of one model that differ in which layers are compressed. Before
/// quantisation all of them compute the float model's values, so they can share observations.
class Calibration {
 public:
  /// Stores the observations of a calibrated graph.
  void keep(const ir::Graph& graph);
  /// Copies them to uncalibrated observers, and the moments of layers' inputs to the graph. False,
  /// without a change, if a value is observed that was not observed before.
  bool recall(ir::Graph& graph) const;

 private:
  std::map<std::string, std::vector<Observation>> seen_;  ///< by the name of the observed value
  Moments moments_;
};

/// Whether any observer needs calibration.
bool needs_calibration(const ir::Graph& graph);

}  // namespace t2n::compress
