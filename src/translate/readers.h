// SPDX-License-Identifier: Apache-2.0
// What the readers of a result make of it, so that it may have a cheaper form.
#pragma once

#include "src/translate/emitter.h"

namespace t2n::ops {

/// Whether all readers of the node's result clamp it to integers that are small in its dtype, at
/// most after the sum with a small constant, and no operation tells -0.0 from 0.0 later.
bool is_clamped_later(Emitter::State& state);
/// Whether the node's result is a quotient or a mean that all readers round to a narrower float.
bool is_narrowed_quotient(const Emitter::State& state);
/// Whether all readers of the node's result, an extremum, limit it by a finite number: a minimum
/// from above, a maximum from below.
bool is_limited_later(const Emitter::State& state);

}  // namespace t2n::ops
