// Runs a graph with observers over a set of inputs.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "ir/evaluator.h"
#include "src/compress/moments.h"
#include "src/compress/observe.h"

namespace t2n::compress {

/// The graph's next inputs, in its order; an empty list after the last ones.
using Batches = std::function<std::vector<ir::Tensor>()>;

/// The graph with numbers for its symbols, as in a batch.
using AtBatch = std::function<ir::Graph(const std::vector<ir::Tensor>& batch)>;

/// Runs the graph over all batches and writes what each observer saw into its arguments. One batch,
/// and the observers' state, are in memory at a time. Constants are not observed: what follows from
/// them does not follow from the set. `inputs_of`: addresses of layers whose inputs' moments become
/// an attribute of the graph (moments.h). Returns the number of batches. Errors: `calibration` for
/// NaN and infinities; those of the evaluator.
size_t calibrate(ir::Graph& graph, const Batches& batches, const AtBatch& at_batch,
                 const ir::Evaluator& evaluate,
                 const std::map<std::string, InputsWanted>& inputs_of = {});

/// Observations for graphs of one model that differ in which layers are compressed: as long as
/// observers only watch, they all see what the float model computes.
class Calibration {
 public:
  /// Stores the observations of a calibrated graph.
  void keep(const ir::Graph& graph);
  /// Gives them to observers that wait for a set, and moments of layers' inputs to the graph.
  /// False, without a change, if an observer stands at a place that had none before.
  bool recall(ir::Graph& graph) const;

 private:
  std::map<std::string, std::vector<Observation>> seen_;  ///< by the name of the observed value
  Moments moments_;
};

/// Whether any observer waits for a set.
bool needs_calibration(const ir::Graph& graph);

}  // namespace t2n::compress
