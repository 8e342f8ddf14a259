// SPDX-License-Identifier: Apache-2.0
// Optimisation barriers: tensors in a form whose elements tract cannot trace.
#pragma once

#include "src/tract_forms/causes.h"
#include "src/translate/emitter.h"

namespace t2n::ops {

/// Gathers every entry of x at its own index.
Ref gathered(Emitter& out, Ref x);
/// The operands of a call, those with barriers gathered.
std::vector<Ref> gathered(Emitter& out, std::vector<Ref> operands,
                          const tract_forms::Barriers& barriers);
/// The same for a tensor with an unknown use.
Ref with_broadcast_barrier(Emitter& out, Ref x);

}  // namespace t2n::ops
