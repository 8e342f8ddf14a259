// SPDX-License-Identifier: Apache-2.0
// Shapes of slices, for the operators that write into them.
#pragma once

#include "src/shapes/shape_rule.h"

namespace t2n::ops {

shapes::Shapes slice_shapes(const shapes::ShapeView& op);
/// `index` is within the axis.
void require_index(const shapes::ShapeView& op, const ir::Dim& size);

}  // namespace t2n::ops
