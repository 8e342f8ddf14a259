// Sizes that are equal by more than algebra: tract compares them as expressions.
#pragma once

#include "src/translate/emitter.h"

namespace t2n::ops {

/// `x`, with sizes named as in `shape` where tract does not find them equal to those that it has.
Ref with_named_sizes(Emitter& out, Ref x, const Shape& shape);

}  // namespace t2n::ops
