// SPDX-License-Identifier: Apache-2.0
// Diagonals of two axes.
#pragma once

#include "src/translate/emitter.h"

namespace t2n::ops {

/// The entries where the indices along `first` and `second` are equal, on a new last axis.
Ref diagonal_of(Emitter& out, Ref x, int first, int second);

}  // namespace t2n::ops
