// SPDX-License-Identifier: Apache-2.0
// Shapes of what windows that move over spatial axes give.
#pragma once

#include "src/shapes/shape_rule.h"

namespace t2n::ops {

/// How a window moves along one axis.
struct AxisWindow {
  ir::Dim kernel;
  ir::Dim stride = 1;
  ir::Dim padding = 0;
  ir::Dim dilation = 1;
  ir::Dim reach() const { return dilation * (kernel - 1) + 1; }
  /// The number of positions, at least one; the last one may be cut off.
  ir::Dim count(const shapes::ShapeView& op, const ir::Dim& size) const {
    op.require(size + 2 * padding, ir::Relation::ge, reach());
    return floor_div(size + 2 * padding - reach(), stride) + 1;
  }
};

/// The digit in "max_pool2d".
size_t spatial_rank(const shapes::ShapeView& op);

/// The rule of operators with an argument `output_size`.
shapes::Shapes adaptive_pool_shapes(const shapes::ShapeView& op);

}  // namespace t2n::ops
