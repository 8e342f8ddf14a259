// SPDX-License-Identifier: Apache-2.0
// Chooses the weight elements to prune, and inserts masks for them.
#pragma once

#include "src/compress/calibrate/insertion.h"
#include "src/compress/settings/settings.h"
#include "src/diag/sink.h"

namespace t2n::compress {

/// Inserts a mask in front of all readers of a pruned weight: `where(mask, weight, 0)`. Pruned
/// elements are +0.0. fold-constants turns it into one constant with the weight's name.
///
/// A share removes the floor(share * n) smallest of a weight's n elements by magnitude; with
/// is_global, of all elements of all weights with that share. Among equal ones the first are
/// removed.
///
/// N of M: of each M neighbours along the inputs of a layer, the M - N smallest are removed.
/// Neighbours are consecutive input channels, at one position of a convolution's kernel, in one
/// group; rows of embedding tables are treated like those of a linear layer. Of fewer than M
/// neighbours at the end, N are kept as well.
///
/// A weight that several layers read has one mask, and all must request the same: otherwise
/// Insertions::commit raises an error. Computed weights, and those inside loops, are left
/// unchanged; `report` receives them (`weight-not-pruned`), and patterns that do not divide a
/// layer's inputs (`pattern-remainder`).
void add_pruning(Insertions& insertions, const ir::Graph& graph, const Settings& settings,
                 const Report& report);

}  // namespace t2n::compress
