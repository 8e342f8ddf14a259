// Sizes in the bodies of scans.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "src/translate/emitter.h"

namespace t2n::ops {

/// The sizes among `used` that tract cannot tell in a body with inputs of these shapes. It knows a
/// size there if an input has it, times an integer and plus one: not from B*T, nor from (B + 1)/2.
std::vector<ir::Symbol> untold_sizes(const std::set<ir::Symbol>& used,
                                     const std::vector<Shape>& inputs);

/// A tensor of shape [size] in f32. As the initial value of a state it tells the size to a body.
Ref size_carrier(Emitter::State& state, const ir::Symbol& size);
inline TensorType carrier_type(const ir::Symbol& size) { return {DType::f32, {Dim::symbol(size)}}; }

/// The name of a state that tells a size to a body, or of what it becomes.
std::string size_name(size_t index, bool is_next);

/// A fragment that does what a fragment of ops/fragments does, with `count` states more: they tell
/// sizes. The document contains it then. Returns its name.
std::string with_sizes(Emitter& out, const std::string& fragment, size_t count);

}  // namespace t2n::ops
