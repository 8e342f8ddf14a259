// SPDX-License-Identifier: Apache-2.0
// Sizes in the bodies of scans.
#pragma once

#include <string>

#include "src/translate/emitter.h"

namespace t2n::ops {

/// A tensor of shape [size] in f32. As the initial value of a state it passes the size to a body.
Ref size_carrier(Emitter& out, const ir::Symbol& size);
Ref size_carrier(Emitter::State& state, const ir::Symbol& size);
inline TensorType carrier_type(const ir::Symbol& size) { return {DType::f32, {Dim::symbol(size)}}; }

/// The name of a state that passes a size to a body, or of its next value.
std::string size_name(size_t index, bool is_next);

/// Adds a fragment to the document that does what a fragment of ops/fragments does, with `count`
/// additional states that pass sizes. Returns its name.
std::string with_sizes(Emitter& out, const std::string& fragment, size_t count);

}  // namespace t2n::ops
