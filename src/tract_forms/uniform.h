// Tensors whose elements tract may know to be equal. It must not use that in products.
#pragma once

#include <string_view>
#include <vector>

#include "src/translate/emitter.h"

namespace t2n::ops {

/// Whether a zero operand makes the entire result zero.
bool is_absorbing(std::string_view op);

/// Notes whether tract may know that all elements of `result` are one known number. It propagates
/// integers through operations that are elementwise, change axes, broadcast or cast.
void note_uniform(Emitter::State& state, std::string_view op, const std::vector<Ref>& operands,
                  Ref result);

/// The operands of a call. If tract 0.23 knows that a factor, or the condition of a selection, is 0
/// or 1 everywhere, it loses the sizes of that operand and of all dependent tensors; sums of such
/// tensors do not load. An optimisation barrier prevents that: they are gathered, entry by entry.
std::vector<Ref> uniform_barriers(Emitter& out, std::string_view op,
                                  const std::vector<Ref>& operands);

}  // namespace t2n::ops
