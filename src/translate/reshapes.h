// Reshapes before an operation, which tract moves others across.
#pragma once

#include "src/translate/emitter.h"

namespace t2n::ops {

/// Whether a tensor is computed, directly or not, from a reshape, a scan, or a product, whose axes
/// tract may merge and split. Linear in the number of statements.
bool depends_on_reshape(Emitter& out, Ref x);

}  // namespace t2n::ops
