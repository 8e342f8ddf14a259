// SPDX-License-Identifier: Apache-2.0
// Determines whether a graph distinguishes -0.0 from 0.0.
#pragma once

#include <vector>

#include "ir/graph.h"
#include "ir/op_table.h"

namespace t2n::passes {

/// Sums of products drop the sign of a zero; data movement, scaling and comparisons propagate or
/// drop it; all other operations are assumed to expose it: 1 / x, copysign, atan2, an output.
class ZeroSigns {
 public:
  ZeroSigns(const ir::Graph& graph, const ir::OpTable& operators);
  /// Whether the sign of a zero in the value may change other elements than zeros, or an output.
  bool exposes(ir::ValueId id) const;

 private:
  enum class Effect { exposes, propagates, drops };
  Effect effect(const ir::Node& reader, ir::ValueId id) const;
  bool exposes_in_body(const ir::Node& loop, ir::ValueId id) const;

  const ir::OpTable& operators_;
  std::vector<std::vector<const ir::Node*>> readers_;  ///< by value
  std::vector<bool> is_output_;                        ///< the same
};

}  // namespace t2n::passes
