// SPDX-License-Identifier: Apache-2.0
// Operations that rearrange elements or select them by order: quantised integers can be rearranged
// in place of the floats that they represent.
#pragma once

#include <vector>

#include "ir/graph.h"

namespace t2n::compress {

/// True for data movement on tensors with one scale. Padding counts if it adds zeros.
bool keeps_qparams(const ir::Node& node);

/// The float and quantised operands of such an operation, shape-only operands included.
std::vector<ir::ValueId> moved_operands(const ir::Graph& graph, const ir::Node& node);

/// For each value, whether its scale is data-dependent, so that its QuantInfo has the scale of one
/// run.
std::vector<bool> dynamic_scales(const ir::Graph& graph);

}  // namespace t2n::compress
