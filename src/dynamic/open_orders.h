// Shapes in which sizes may come in any order.
#pragma once

#include "src/dynamic/infer.h"
#include "src/dynamic/same.h"

namespace t2n::dynamic {

/// Minima and maxima of sizes stay in shapes. What has no such expression, or needs one of two
/// sizes to be the smaller, holds for the order that the trials show.
class OpenOrders {
 public:
  /// `takes_all`: only those of sizes that follow from values stay.
  explicit OpenOrders(bool takes_all) : takes_all_(takes_all) {}

  /// infer_shapes() of trials that are made of the runs.
  std::vector<Assumption> infer(const std::vector<TraceAt>& runs, std::vector<Probe>& probes,
                                InferOptions options, const ShapeRules& rules);

 private:
  bool take(const std::vector<Assumption>& assumed);

  bool takes_all_;
  std::vector<ir::Operands> taken_;
};

/// Whether the size of a value is a minimum or maximum, or computed from one.
bool has_orders(const ir::Graph& graph);

}  // namespace t2n::dynamic
