// SPDX-License-Identifier: Apache-2.0
#include "src/translate/barriers.h"

#include <optional>
#include <utility>

#include "src/diag/error.h"
#include "src/draft/axes.h"
#include "src/target/limits.h"
#include "src/tract_forms/broadcast_axes.h"
#include "src/tract_forms/layouts.h"
#include "src/tract_forms/regions.h"
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

Ref gathered_along(Emitter& out, Ref x, size_t axis) {
  const Shape shape = out.shape(x);
  return out.call("tract_core_gather", {x, indices(out, shape[axis])},
                  {{"axis", static_cast<int64_t>(axis)}}, out.dtype(x), shape);
}

/// An axis with indices that are not constant: tract takes others for a slice, through which axes
/// move.
std::optional<size_t> dynamic_axis(const Emitter& out, const Shape& shape) {
  for (size_t i = 0; i < shape.size(); ++i)
    if (!shape[i].is_constant() && !out.is_streamed(shape[i])) return i;
  return {};
}

[[noreturn]] void refuse_factors(Emitter& out) {
  throw Error(target::untranslated(
      "unsupported-argument", "so many integer factors of one number",
      target::target_name(out.state().target),
      "the engine joins them to a number that exceeds 64 bits, and never finishes loading",
      "compute several of these numbers in one tensor, or in floats"));
}

}  // namespace

Ref gathered(Emitter& out, Ref x) { return gathered_along(out, x, gathered_axis(out.shape(x))); }

std::vector<Ref> gathered(Emitter& out, std::vector<Ref> operands,
                          const tract_forms::Barriers& barriers) {
  for (const tract_forms::Barrier& each : barriers)
    operands[each.operand] = gathered(out, operands[each.operand]);
  return operands;
}

std::vector<Ref> with_layout_barriers(Emitter& out, std::vector<Ref> operands) {
  for (const tract_forms::Barrier& each : tract_forms::layout_barriers(out.state(), operands)) {
    Ref& operand = operands[each.operand];
    if (const auto axis = dynamic_axis(out, out.shape(operand)))
      operand = gathered_along(out, operand, *axis);
  }
  return operands;
}

std::vector<Ref> with_region_barriers(Emitter& out, std::string_view op,
                                      std::vector<Ref> operands) {
  // Equal gathers are written once, so others may have multiplied the gathered tensor as well.
  for (;;) {
    const auto barriers = tract_forms::region_barriers(out.state(), op, operands);
    if (barriers.empty()) return operands;
    if (tract_forms::has_one_element(out.shape(operands[barriers[0].operand]))) refuse_factors(out);
    operands = gathered(out, std::move(operands), barriers);
  }
}

Ref with_broadcast_barrier(Emitter& out, Ref x) {
  return tract_forms::needs_broadcast_barrier(out.state(), x) ? gathered(out, x) : x;
}

}  // namespace t2n::ops
