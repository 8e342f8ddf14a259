// Replaces quantised tensors and packed sequences of a traced model.
#pragma once

#include "src/model/traced.h"

namespace t2n {

/// Runs `expand-packed` and `expand-quantised`. The graph before the latter is kept as well, if
/// that changed it. `sizes_vary`: the trace has open axes. Errors: `unsupported-op` and others of
/// the pass.
void expand_quantised(trace::Traced& traced, bool sizes_vary = false);

}  // namespace t2n
