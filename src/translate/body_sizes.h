// Sizes in the bodies of scans.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "src/translate/emitter.h"

namespace t2n::ops {

/// The sizes among `used` that tract cannot infer in a body with inputs of these shapes. It infers
/// a size from an input axis that is the size times an integer plus an integer, not from B*T or (B
/// + 1)/2.
std::vector<ir::Symbol> unknown_sizes(const std::set<ir::Symbol>& used,
                                      const std::vector<Shape>& inputs);

/// A tensor of shape [size] in f32. As the initial value of a state it passes the size to a body.
Ref size_carrier(Emitter::State& state, const ir::Symbol& size);
inline TensorType carrier_type(const ir::Symbol& size) { return {DType::f32, {Dim::symbol(size)}}; }

/// The name of a state that passes a size to a body, or of its next value.
std::string size_name(size_t index, bool is_next);

/// Adds a fragment to the document that does what a fragment of ops/fragments does, with `count`
/// additional states that pass sizes. Returns its name.
std::string with_sizes(Emitter& out, const std::string& fragment, size_t count);

}  // namespace t2n::ops
