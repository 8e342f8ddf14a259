// SPDX-License-Identifier: Apache-2.0
// Shapes that hold whichever of two sizes is larger.
#pragma once

#include "src/dynamic/infer.h"
#include "src/dynamic/same.h"

namespace t2n::dynamic {

/// Minima and maxima of sizes stay symbolic in shapes. Where that is impossible, shapes hold for
/// the order that the probes show.
class OpenOrders {
 public:
  /// `decides_all`: only those of data-dependent sizes stay symbolic.
  explicit OpenOrders(bool decides_all) : decides_all_(decides_all) {}

  /// infer_shapes() of probes made from the runs.
  std::vector<Assumption> infer(const std::vector<TraceAt>& runs, std::vector<Probe>& probes,
                                InferOptions options, const ir::OpTable& operators);

 private:
  bool decide(const std::vector<Assumption>& assumed);

  bool decides_all_;
  std::vector<ir::Operands> decided_;
};

/// True if the size of a value is a minimum or maximum, or computed from one.
bool has_orders(const ir::Graph& graph);

}  // namespace t2n::dynamic
