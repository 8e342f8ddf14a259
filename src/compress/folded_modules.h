// Modules that settings name, and of which nothing is left once batch norms are folded.
#pragma once

#include "ir/graph.h"
#include "src/compress/settings.h"
#include "src/diag/sink.h"

namespace t2n::compress {

/// Warns of scopes that name operations of `before` and none of `after`, with the layer that they
/// were folded into.
/// Errors: `usage` for those of --only that hold no layer of `after`.
void report_folded(const ir::Graph& before, const ir::Graph& after, const Settings& settings,
                   const Report& report);

}  // namespace t2n::compress
