// SPDX-License-Identifier: Apache-2.0
// The passes of src/quant.
#pragma once

#include <vector>

#include "src/passes/pass.h"

namespace t2n::quant {

/// Replaces quantised tensors by their integers minus the zero point, and operations on them.
bool expand_quantised(ir::Graph& graph, const passes::PassContext& context);

/// Rows for the table of all passes.
std::vector<passes::PassInfo> pass_rows();

}  // namespace t2n::quant
