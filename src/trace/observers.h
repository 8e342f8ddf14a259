// Fake quantisation whose parameters nobody chose.
#pragma once

#include "ir/graph.h"
#include "src/trace/leaves.h"

namespace t2n::trace {

/// Refuses fake quantisation by scale 1 and zero point 0 of a module whose observer
/// (`activation_post_process`, as torch.ao.quantization names it) never saw data: these are what it
/// was made with. Errors: `unsupported-argument`.
void require_observed(const ObjectPtr& model, const ir::Graph& graph);

}  // namespace t2n::trace
