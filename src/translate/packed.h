// SPDX-License-Identifier: Apache-2.0
// Weights stored as Q4_0 blocks.
#pragma once

#include "src/translate/emitter.h"

namespace t2n::ops {

/// A variable for the weight whose blocks the constant `packed` contains as bytes.
Ref unpacked(Emitter& out, Ref packed, DType dtype, const Shape& shape);
bool is_q4_0(Emitter& out, Ref ref);

}  // namespace t2n::ops
