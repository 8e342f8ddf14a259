// SPDX-License-Identifier: Apache-2.0
// Determines what can be computed at export.
#pragma once

#include "ir/graph.h"

namespace t2n::passes {

/// Whether the results depend on the operands only, and are plain tensors of constant sizes.
bool is_computable(const ir::Graph& graph, const ir::Node& node);

}  // namespace t2n::passes
