// Inputs of a graph that turn out to be none.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "ir/graph.h"

namespace t2n::trace {

/// Turns an input into a constant of the model again, with the name `path`. Its sizes are numbers
/// from then on.
void make_constant(ir::Graph& graph, ir::ValueId input, const std::string& path,
                   const at::Tensor& tensor);

}  // namespace t2n::trace
