// Finds the quantisers that settings ask for, and inserts them.
#pragma once

#include "src/compress/insertion.h"
#include "src/compress/settings.h"
#include "src/diag/sink.h"

namespace t2n::compress {

/// Order at one value: pruning comes before quantisation.
constexpr int kPruningPriority = 10;
constexpr int kQuantiserPriority = 20;

/// Inserts an observer for each weight, activation and bias that settings quantise to integers, and
/// a cast for 16-bit weights. Weights of Format::q4_0 belong to the pass `quantise-q4_0`. Weights
/// that 16 bits cannot hold are reported.   Errors: `unsupported-argument` for weights that should
/// become integers and are NaN or infinite.
void add_quantisers(Insertions& insertions, const ir::Graph& graph, const Settings& settings,
                    const Report& report);

}  // namespace t2n::compress
