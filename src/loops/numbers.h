// Expresses arguments that are numbers in every iteration by the iteration's number.
#pragma once

#include "ir/graph.h"
#include "src/loops/record.h"

namespace t2n::loops {

/// Replaces arguments that grow by a constant from iteration to iteration by expressions over the
/// loop's symbol. The first iteration may differ.
void name_numbers(ir::Graph& graph, const LoopRecord& loop);

}  // namespace t2n::loops
