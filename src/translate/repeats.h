// Entries that repeat along an axis. tract must not notice them in front of a product.
#pragma once

#include <string_view>
#include <vector>

#include "src/translate/emitter.h"

namespace t2n::ops {

/// Notes along which axes of `result` tract may know that entries repeat: it moves a broadcast
/// behind operations that change axes or compute element by element, and splits a product of a
/// `concat` into products of its parts.
void note_repeats(Emitter::State& state, std::string_view op, const std::vector<Ref>& operands,
                  const Attributes& attributes, Ref result);
/// The same for elementwise operations that broadcast.
void note_elementwise_repeats(Emitter::State& state, const std::vector<Ref>& operands, Ref result);

/// The operands of a call. tract removes a broadcast in front of a product even if no other factor
/// has the axis: the result is then too small, or a sum misses terms. Such operands are gathered,
/// entry by entry, which hides their origin, and so is what a packed weight multiplies.
std::vector<Ref> broadcast_barriers(Emitter& out, std::string_view op,
                                    const std::vector<Ref>& operands, const Attributes& attributes);
/// The same for a tensor with an unknown use.
Ref broadcast_barriers(Emitter& out, Ref x);
/// Gathers every entry of x at its own position, so that tract does not know the origin.
Ref gathered(Emitter& out, Ref x);

}  // namespace t2n::ops
