// SPDX-License-Identifier: Apache-2.0
// Reports modules that settings name and that batch-norm folding removes.
#pragma once

#include "ir/graph.h"
#include "src/compress/settings/settings.h"
#include "src/diag/sink.h"

namespace t2n::compress {

/// Warns of scopes that name operations of `before` and none of `after`, with the layer that they
/// were folded into.
/// Errors: `usage` for scopes of --only that contain no layer of `after`.
void report_folded(const ir::Graph& before, const ir::Graph& after, const Settings& settings,
                   const Report& report);

}  // namespace t2n::compress
