// SPDX-License-Identifier: Apache-2.0
// Windows along an axis whose bounds the model computes because a size is symbolic.
#pragma once

#include "src/translate/emitter.h"

namespace t2n::ops {

/// Window o covers the entries [begin, end) of an axis, every `dilation`-th one; i64, [o, 1].
struct SymbolicSpans {
  Ref begin;
  Ref end;
  Dim dilation = 1;
};

/// Whether entry i lies in window o: [o, i].
Ref in_windows(Emitter& out, const SymbolicSpans& spans, const Dim& size);
/// The sums over each window divided by `divisor` [o, 1] in i64, along `axis`.
Ref mean_over(Emitter& out, Ref x, int axis, const SymbolicSpans& spans, Ref divisor);
/// The maxima over each window. Windows have entries; `x` holds floats.
Ref greatest_in(Emitter& out, Ref x, int axis, const SymbolicSpans& spans);

}  // namespace t2n::ops
