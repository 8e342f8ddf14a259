// Quotients that other families need.
#pragma once

#include "ops/emitter.h"

namespace t2n::ops {

/// Of integers, rounded down.
Ref floored_quotient(Emitter& out, Ref a, Ref b);

}  // namespace t2n::ops
