// Entries that repeat along an axis, and products of tract that must not find out.
#pragma once

#include <string_view>
#include <vector>

#include "src/translate/emitter.h"
#include "src/translate/emitter_state.h"

namespace t2n::ops {

/// Notes along which axes of `result` tract may know that entries repeat: it moves a broadcast
/// behind what changes axes and what computes element by element, and splits a product of a
/// `concat` into products of its parts.
void note_repeats(Emitter::State& state, std::string_view op, const std::vector<Ref>& operands,
                  const Attributes& attributes, Ref result);
/// The same for operations that broadcast and compute element by element.
void note_elementwise_repeats(Emitter::State& state, const std::vector<Ref>& operands, Ref result);

/// The operands of a call. tract takes a broadcast away in front of a product, also where no other
/// factor has the axis: then the result is too small, or a sum misses terms. Such operands are
/// gathered, entry by entry, which hides where they come from.
std::vector<Ref> hidden_repeats(Emitter& out, std::string_view op, const std::vector<Ref>& operands,
                                const Attributes& attributes);
/// The same for a tensor that something unknown is done with.
Ref hidden_repeats(Emitter& out, Ref x);
/// Every entry of x in its place, so that tract does not know where they come from.
Ref gathered(Emitter& out, Ref x);

}  // namespace t2n::ops
