// SPDX-License-Identifier: Apache-2.0
// Shapes of what indices select, and the ranges that they must be in.
#pragma once

#include "src/shapes/shape_rule.h"

namespace t2n::ops {

/// The values are indices along `dim`.
void require_in_range_along(const shapes::ShapeView& op, const ir::Shape& x,
                            const char* name = "index");

/// An index is no larger than its tensor, except along the axis that it indexes.
void require_fits(const shapes::ShapeView& op, const ir::Shape& index, const ir::Shape& x,
                  bool along = false);

/// The shape of x[indices]: a mask replaces one index per axis of the mask. Nothing if there are
/// several masks, or a mask without axes.
std::optional<ir::Shape> picked_shape(const shapes::ShapeView& op);

}  // namespace t2n::ops
