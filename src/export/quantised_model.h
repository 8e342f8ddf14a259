// Quantised tensors and packed sequences of a traced model.
#pragma once

#include "src/model/traced.h"

namespace t2n {

/// Runs `expand-packed` and `expand-quantised`; the graph before the latter stays beside, if that
/// changed it. Of a trace with
/// open axes, `sizes_vary`.
/// Errors: `unsupported-op` and others of the pass.
void expand_quantised(trace::Traced& traced, bool sizes_vary = false);

}  // namespace t2n
