// Sizes that are equal, but not algebraically: tract compares them as expressions.
#pragma once

#include "src/translate/emitter.h"

namespace t2n::ops {

/// `x`, whose sizes get the expressions in `shape` where tract cannot prove them equal.
Ref with_named_sizes(Emitter& out, Ref x, const Shape& shape);

}  // namespace t2n::ops
