// SPDX-License-Identifier: Apache-2.0
// The passes of src/complex.
#pragma once

#include <vector>

#include "src/passes/pass.h"

namespace t2n::complex {

/// Replaces complex tensors by real ones with a last axis of two, and transforms by `t2n::fft_…`.
bool complex_to_pairs(ir::Graph& graph, const passes::PassContext& context);

/// Rows for the table of all passes.
std::vector<passes::PassInfo> pass_rows();

}  // namespace t2n::complex
