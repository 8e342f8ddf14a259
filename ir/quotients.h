// SPDX-License-Identifier: Apache-2.0
// Rewrites sums with quotients of sizes, rounded up or down, to shorter forms.
#pragma once

#include "ir/shape.h"

namespace t2n::ir {

/// `(S + 1) // 2` for `S - S // 2`, `(2*S + 2) // 3` for `S - S // 3`: of equivalent forms
/// of a quotient, the one with fewer terms and quotients. A product of such sums becomes a product
/// of quotients.
Dim with_fewer_terms(Dim dim);

}  // namespace t2n::ir
