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
/// The operands of an operation that combines results of scans along different axes.
std::vector<Ref> with_layout_barriers(Emitter& out, std::vector<Ref> operands);
/// The operands of a product with an integer constant.
std::vector<Ref> with_region_barriers(Emitter& out, std::string_view op, std::vector<Ref> operands);
/// The same for a tensor with an unknown use.
Ref with_broadcast_barrier(Emitter& out, Ref x);

}  // namespace t2n::ops
