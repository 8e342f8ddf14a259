// What can be computed before the model runs.
#pragma once

#include "ir/graph.h"

namespace t2n::passes {

/// Whether a constant's content is loaded.
bool is_loaded(const ir::Tensor& tensor);
/// Whether the results follow from the operands alone, and are plain tensors of known sizes.
bool is_computable(const ir::Graph& graph, const ir::Node& node);

}  // namespace t2n::passes
