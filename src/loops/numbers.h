// Arguments that are numbers in every iteration, as expressions over the number of the iteration.
#pragma once

#include "ir/graph.h"
#include "src/loops/record.h"

namespace t2n::loops {

/// Says arguments that grow by the same number from iteration to iteration with the loop's symbol.
/// The first iteration may be another.
void name_numbers(ir::Graph& graph, const LoopRecord& loop);

}  // namespace t2n::loops
