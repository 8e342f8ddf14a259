// SPDX-License-Identifier: Apache-2.0
// The lines of a model's loops and branches.
#pragma once

#include "src/frontend/load/loader.h"
#include "src/model/traced.h"

namespace t2n::trace {

/// Errors: `usage` if an option names a line of the model's code that has no loop, or no branch.
void require_lines(const Loaded& model, const TraceOptions& options);

}  // namespace t2n::trace
