// Which quantisers settings ask for, as insertions.
#pragma once

#include "src/compress/insertion.h"
#include "src/compress/settings.h"

namespace t2n::compress {

/// Order at one value: what is pruned is quantised then.
constexpr int kPruningPriority = 10;
constexpr int kQuantiserPriority = 20;

/// An observer for each weight, activation and bias that settings quantise to integers, a cast for
/// weights of 16 bits. Weights of Format::q4_0 are the pass `quantise-q4_0`'s.
void add_quantisers(Insertions& insertions, const ir::Graph& graph, const Settings& settings);

}  // namespace t2n::compress
