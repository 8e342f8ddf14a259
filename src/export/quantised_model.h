// SPDX-License-Identifier: Apache-2.0
// Expands quantised tensors and packed sequences of a traced model to plain operations.
#pragma once

#include "src/model/traced.h"

namespace t2n {

/// Runs `expand-packed` and `expand-quantised`. Keeps the graph before the latter, if that
/// changed it. `sizes_vary`: the trace has dynamic axes. Errors: `unsupported-op` and others of
/// the pass.
void expand_quantised(trace::Traced& traced, bool sizes_vary = false);

}  // namespace t2n
