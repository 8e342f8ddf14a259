// SPDX-License-Identifier: Apache-2.0
// Expresses constant arguments of iterations by the iteration number.
#pragma once

#include "ir/graph.h"
#include "src/loops/record.h"

namespace t2n::loops {

/// Replaces arguments that increase by a constant per iteration by expressions over the loop's
/// symbol. The first iteration may differ.
void name_numbers(ir::Graph& graph, const LoopRecord& loop);

}  // namespace t2n::loops
