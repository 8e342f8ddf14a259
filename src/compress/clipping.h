// How many rounded values lie outside of their grid.
#pragma once

#include <map>
#include <string>

#include "src/compress/calibrate.h"

namespace t2n::compress {

/// The share of such elements, over all batches, by the name of the result of a quantiser or of a
/// fake quantiser with a known grid. Constants are not counted.   Errors: those of the evaluator.
std::map<std::string, double> clipped_shares(const ir::Graph& graph, const Batches& batches,
                                             const AtBatch& at_batch,
                                             const ir::Evaluator& evaluate);

}  // namespace t2n::compress
