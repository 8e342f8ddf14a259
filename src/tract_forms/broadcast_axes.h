// Broadcast axes, along which all entries are equal. tract must not detect them before a product.
#pragma once

#include <string_view>
#include <vector>

#include "src/translate/emitter.h"

namespace t2n::ops {

/// Notes along which axes of `result` tract may know that it is broadcast: tract moves a broadcast
/// after operations that change axes or compute element by element, and splits a product of a
/// `concat` into products of its parts.
void note_broadcast_axes(Emitter::State& state, std::string_view op,
                         const std::vector<Ref>& operands, const Attributes& attributes,
                         Ref result);
/// The same for elementwise operations that broadcast.
void note_elementwise_broadcast_axes(Emitter::State& state, const std::vector<Ref>& operands,
                                     Ref result);

/// The operands of a call. tract removes a broadcast before a product even if no other factor has
/// the axis: the result is then too small, or a sum misses terms. An optimisation barrier prevents
/// that: such operands are gathered, entry by entry. So is the operand that a packed weight
/// multiplies.
std::vector<Ref> broadcast_barriers(Emitter& out, std::string_view op,
                                    const std::vector<Ref>& operands, const Attributes& attributes);
/// The same for a tensor with an unknown use.
Ref broadcast_barriers(Emitter& out, Ref x);
/// Gathers every entry of x at its own index, an optimisation barrier for tract.
Ref gathered(Emitter& out, Ref x);

}  // namespace t2n::ops
