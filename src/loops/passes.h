// SPDX-License-Identifier: Apache-2.0
// The passes of src/loops.
#pragma once

#include <vector>

#include "src/passes/pass.h"

namespace t2n::loops {

/// Turns the loops that the trace recorded into `t2n::scan` (src/loops/roll_loops.cpp).
bool roll_loops(ir::Graph& graph, const passes::PassContext& context);
/// Unrolls `t2n::scan` if the target has no loops and the number of iterations is known and small
/// enough (src/limits/unrolled.h); other scans stay.
bool unroll_scans(ir::Graph& graph, const passes::PassContext& context);

/// Rows for the table of all passes.
std::vector<passes::PassInfo> pass_rows();

}  // namespace t2n::loops
