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

/// The next inputs of the graph, in its order; an empty list after the last.
using Batches = std::function<std::vector<ir::Tensor>()>;

/// The graph with numbers for its symbols, as a batch has them.
using AtBatch = std::function<ir::Graph(const std::vector<ir::Tensor>& batch)>;

/// Runs the graph over all batches and writes what each observer saw into its arguments. One batch
/// and what observers need is in memory at a time. Constants are not looked at: what follows from
/// them does not follow from the set. `inputs_of`: layers, by address, of whose inputs moments
/// become an attribute of the graph (moments.h). Returns how many batches there were. Errors:
/// `calibration` for NaN and infinities; those of the evaluator.
size_t calibrate(ir::Graph& graph, const Batches& batches, const AtBatch& at_batch,
                 const ir::Evaluator& evaluate,
                 const std::map<std::string, InputsWanted>& inputs_of = {});

/// What was seen once, for graphs of the same model that differ in which layers are compressed:
/// while observers only look on, all of them see what the float model computes.
class Calibration {
 public:
  /// Of a graph that was calibrated.
  void keep(const ir::Graph& graph);
  /// Gives it to observers that wait for a set, and moments of layers' inputs to the graph. False
  /// where one of them stands where none stood before; nothing is changed then.
  bool recall(ir::Graph& graph) const;

 private:
  std::map<std::string, std::vector<Observation>> seen_;  ///< by the name of what is observed
  Moments moments_;
};

/// Whether any observer waits for a set.
bool needs_calibration(const ir::Graph& graph);

}  // namespace t2n::compress
