// SPDX-License-Identifier: Apache-2.0
#include "src/translate/barriers.h"

#include "src/draft/axes.h"
#include "src/tract_forms/broadcast_axes.h"
#include "src/translate/emitter_state.h"

namespace t2n::ops {
namespace {

/// An axis with more than one entry; preferably with a known size.
size_t gathered_axis(const Shape& shape) {
  for (size_t i = 0; i < shape.size(); ++i)
    if (shape[i].is_constant() && shape[i].value() > 1) return i;
  for (size_t i = 0; i < shape.size(); ++i)
    if (!shape[i].is_constant()) return i;
  return 0;
}

Ref indices(Emitter& out, const Dim& count) {
  if (!count.is_constant()) return out.range(count);
  const Ints all = draft::all_axes(count.value());
  return out.constant(ir::tensor_of(DType::i64, {count.value()}, all), "positions");
}

}  // namespace

Ref gathered(Emitter& out, Ref x) {
  const Shape shape = out.shape(x);
  const size_t axis = gathered_axis(shape);
  return out.call("tract_core_gather", {x, indices(out, shape[axis])},
                  {{"axis", static_cast<int64_t>(axis)}}, out.dtype(x), shape);
}

std::vector<Ref> gathered(Emitter& out, std::vector<Ref> operands,
                          const tract_forms::Barriers& barriers) {
  for (const tract_forms::Barrier& each : barriers)
    operands[each.operand] = gathered(out, operands[each.operand]);
  return operands;
}

Ref with_broadcast_barrier(Emitter& out, Ref x) {
  return tract_forms::needs_broadcast_barrier(out.state(), x) ? gathered(out, x) : x;
}

}  // namespace t2n::ops
