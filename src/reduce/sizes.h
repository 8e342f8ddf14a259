// SPDX-License-Identifier: Apache-2.0
// Makes the tensors of a small part smaller.
#pragma once

#include <functional>

#include "src/reduce/part.h"

namespace t2n::reduce {

/// Reduces extents of inputs and weights, as far as the operations run with them in torch and
/// `fails` holds: one extent wherever it occurs (also in arguments), then single axes of inputs.
/// `keeps_weights`: extents of inputs only. Unchanged if the graph has symbols, loops or recurrent
/// layers, or cannot run.
Part with_smaller_sizes(Part part, bool keeps_weights,
                        const std::function<bool(const Part&)>& fails,
                        const std::function<bool()>& is_over);

}  // namespace t2n::reduce
