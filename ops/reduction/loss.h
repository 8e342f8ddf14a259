// SPDX-License-Identifier: Apache-2.0
// Shared by losses: the argument `reduction`, and the differences that most of them start from.
#pragma once

#include "src/shapes/shape_rule.h"
#include "src/translate/arith.h"

namespace t2n::ops {

/// torch's at::Reduction.
enum class Reduction { none, mean, sum };
Reduction reduction_of(const OpView& op);

/// The sum of all elements, of rank 0.
Ref total(Emitter& out, Ref x);
/// Declares the loss: one value per element, their mean or their sum.
void finish_loss(const OpView& op, Emitter& out, Ref losses);

shapes::Shapes or_number(const shapes::ShapeView& op, const Shape& shape);
/// All axes but the last; a number counts as a row of one.
Shape rows_of(const Shape& shape);

}  // namespace t2n::ops
