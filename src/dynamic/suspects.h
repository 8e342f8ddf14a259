// Signs that a size of the sample was baked into the model by whoever traced it.
#pragma once

#include "src/diag/sink.h"
#include "src/dynamic/axes.h"

namespace t2n::dynamic {

/// Warns (`dynamic-suspect`) of literals that equal the sample's size of an axis they are used
/// with, and of outputs that have it as a fixed extent; notes symbols that no output mentions.
/// `graph` has its sizes as expressions.
void report_suspects(const ir::Graph& graph, const Sizes& sample, const Report& report);

}  // namespace t2n::dynamic
