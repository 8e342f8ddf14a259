// SPDX-License-Identifier: Apache-2.0
// Checks what can be translated at all, independent of the operators.
#pragma once

#include <string>

#include "ir/op_table.h"
#include "src/diag/sink.h"
#include "src/translate/problems.h"

namespace t2n::ops {

/// Checks that the target can express the graph that translate() is given: the dtypes of the
/// inputs; for strict NNEF also their sizes, which must be numbers of 1 or more, and integers,
/// which f32 must represent; for tract also loops, which must allow more than one length. Integers
/// that f32 may not represent go to `report`. Errors: `unsupported-argument` for sizes of inputs.
/// Everything else is added to `problems`.
void check_accepted(const ir::Graph& graph, const target::Target& target,
                    const ir::OpTable& operators, Problems& problems, const Report& report);
/// The part about the dtypes of inputs.
void check_inputs(const ir::Graph& graph, const target::Target& target, Problems& problems);

}  // namespace t2n::ops
