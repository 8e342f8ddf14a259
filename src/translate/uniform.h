// What tract may know of the elements of a tensor, and products of tract that must not find out.
#pragma once

#include <string_view>
#include <vector>

#include "src/translate/emitter.h"
#include "src/translate/emitter_state.h"

namespace t2n::ops {

/// Whether a zero as an operand makes a result of zeros.
bool is_absorbing(std::string_view op);

/// Notes whether tract may know the one number that all elements of `result` are. It follows
/// integers through what computes element by element, changes axes, broadcasts or casts.
void note_uniform(Emitter::State& state, std::string_view op, const std::vector<Ref>& operands,
                  Ref result);

/// The operands of a call. Where tract 0.23 knows that a factor, or what a selection asks, is 0 or
/// 1 everywhere, it forgets the sizes of that operand, and of all that follows; sums of such
/// tensors do not load. They are gathered, entry by entry, which hides where they come from.
std::vector<Ref> hidden_uniforms(Emitter& out, std::string_view op,
                                 const std::vector<Ref>& operands);

}  // namespace t2n::ops
