// Which weights settings set to zero, as insertions of masks.
#pragma once

#include "src/compress/insertion.h"
#include "src/compress/settings.h"

namespace t2n::compress {

/// A mask in front of all that reads a weight which settings prune: `where(mask, weight, 0)`, so
/// that what is pruned is +0.0, and fold-constants makes one constant of it, called as the weight.
///
/// A share takes the floor(share * n) smallest of a weight's n elements by magnitude; with
/// is_global, of all elements of all weights with that share. Of equal ones the first go.
///
/// N of M: of each M neighbours along the inputs of a layer the M - N smallest go. Neighbours are
/// consecutive input channels, at one place of a convolution's kernel, of one group; rows of tables
/// of embeddings are taken as a linear layer's. At the end of the inputs fewer than M are left: of
/// these, N stay, too.
///
/// A weight that several layers read has one mask, which all have to ask for: others are errors of
/// Insertions::commit. Weights that are computed, and those inside of loops, stay as they are.
void add_pruning(Insertions& insertions, const ir::Graph& graph, const Settings& settings);

}  // namespace t2n::compress
