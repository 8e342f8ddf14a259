// SPDX-License-Identifier: Apache-2.0
// Weights in a form that the engine computes with slowly.
#pragma once

#include "ir/graph.h"
#include "src/diag/sink.h"

namespace t2n::compress {

/// Warns (`slow-weights`) of layers in Q4_0 whose input has more than one row, and of such
/// convolutions: tract unpacks the blocks again for every row. Sizes of dynamic axes are unknown.
/// `stored`: the compressed graph.
void warn_slow(const ir::Graph& stored, const Report& report);

}  // namespace t2n::compress
