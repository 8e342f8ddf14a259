// SPDX-License-Identifier: Apache-2.0
// The pass `dead-code`.
#include "src/passes/passes.h"
#include "src/passes/rewrite.h"

namespace t2n::passes {

bool dead_code(ir::Graph& graph, const PassContext&) { return remove_dead(graph); }

}  // namespace t2n::passes
