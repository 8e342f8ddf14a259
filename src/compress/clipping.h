// How much of what is rounded lies outside of its grid.
#pragma once

#include <map>
#include <string>

#include "src/compress/calibrate.h"

namespace t2n::compress {

/// Shares of the elements, over all batches, by the name of what a quantiser or a fake quantiser
/// with a known grid gives. Constants are not looked at.   Errors: those of the evaluator.
std::map<std::string, double> clipped_shares(const ir::Graph& graph, const Batches& batches,
                                             const AtBatch& at_batch,
                                             const ir::Evaluator& evaluate);

}  // namespace t2n::compress
