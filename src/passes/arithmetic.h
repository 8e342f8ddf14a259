// SPDX-License-Identifier: Apache-2.0
// The arithmetic of passes that emit operations.
#pragma once

#include "src/passes/rewriter.h"

namespace t2n::passes {

inline ValueId add(Rewriter& b, ValueId x, ValueId y) { return b.binary("aten::add.Tensor", x, y); }
inline ValueId sub(Rewriter& b, ValueId x, ValueId y) { return b.binary("aten::sub.Tensor", x, y); }
inline ValueId mul(Rewriter& b, ValueId x, ValueId y) { return b.binary("aten::mul.Tensor", x, y); }
inline ValueId div(Rewriter& b, ValueId x, ValueId y) { return b.binary("aten::div.Tensor", x, y); }

}  // namespace t2n::passes
