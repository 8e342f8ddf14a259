// SPDX-License-Identifier: Apache-2.0
// Systems of linear equations of a few unknowns: Gauss and Jordan's elimination with pivots.
#pragma once

#include "src/shapes/shape_rule.h"
#include "src/translate/emitter.h"

namespace t2n::ops {

/// The limit of unknowns: every elimination step is unrolled.
inline constexpr int64_t kMostUnknowns = 16;

/// X with A . X = B, in f64. Shapes: A [..., n, n], B [..., n, m]; leading axes broadcast.
Ref eliminated(Emitter& out, Ref a, Ref b);
/// The determinants of A, [..., 1, 1].
Ref determinant_by_elimination(Emitter& out, Ref a);

/// The one row of `x` where the condition holds: [..., 1, m].
Ref row_where(Emitter& out, Ref x, Ref is_row);

shapes::Shapes inverse_with_info_shapes(const shapes::ShapeView& op);

}  // namespace t2n::ops
