// SPDX-License-Identifier: Apache-2.0
// Graph inputs that turn out to be constants.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "ir/graph.h"

namespace t2n::trace {

/// Turns an input back into a constant of the model, with the name `path`. Its sizes become
/// numbers.
void make_constant(ir::Graph& graph, ir::ValueId input, const std::string& path,
                   const at::Tensor& tensor);

}  // namespace t2n::trace
