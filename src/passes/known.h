// Determines what can be computed at export.
#pragma once

#include "ir/graph.h"

namespace t2n::passes {

/// Whether a constant's content is loaded.
bool is_loaded(const ir::Tensor& tensor);
/// Whether the results depend on the operands only, and are plain tensors of constant sizes.
bool is_computable(const ir::Graph& graph, const ir::Node& node);

}  // namespace t2n::passes
