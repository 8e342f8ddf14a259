// SPDX-License-Identifier: Apache-2.0
#include "ops/structure/symbolic_windows.h"

#include "ops/structure/spatial.h"
#include "src/translate/arith.h"
#include "src/translate/sizes.h"

namespace t2n::ops {

Ref in_windows(Emitter& out, const SymbolicSpans& spans, const Dim& size) {
  const Ref at = iota(out, size, 1, 2);
  const Ref holds =
      logical_and(out, compare(out, "ge", at, spans.begin), compare(out, "lt", at, spans.end));
  if (spans.dilation == Dim(1)) return holds;
  const Ref step = out.size(spans.dilation, DType::i64);
  const Ref offset = sub(out, at, spans.begin);
  const Ref multiple = mul(out, div(out, offset, step), step);
  return logical_and(out, holds, compare(out, "eq", multiple, offset));
}

Ref mean_over(Emitter& out, Ref x, int axis, const SymbolicSpans& spans, Ref divisor) {
  const DType dtype = out.dtype(x);
  const Ref holds = in_windows(out, spans, size_of(out, x, axis));
  return along_axis(out, x, axis, div(out, out.cast(holds, dtype), out.cast(divisor, dtype)));
}

Ref greatest_in(Emitter& out, Ref x, int axis, const SymbolicSpans& spans) {
  const Ref holds = in_windows(out, spans, size_of(out, x, axis));
  Shape shape(out.shape(x).size() + 1, Dim(1));
  shape[axis] = out.shape(holds)[0];
  shape[axis + 1] = out.shape(holds)[1];
  const Ref all =
      select(out, out.reshape(holds, shape), out.unsqueeze(x, {axis}), like(out, -kInfinity, x));
  return out.squeeze(exact_extremum(out, "max_reduce", all, {axis + 1}), {axis + 1});
}

}  // namespace t2n::ops
