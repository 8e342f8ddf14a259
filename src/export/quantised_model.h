// Quantised tensors of a traced model.
#pragma once

#include "src/model/traced.h"

namespace t2n {

/// Runs `expand-quantised`; the graph as it was stays beside, if that changed it.
/// Errors: `unsupported-op` and others of the pass.
void expand_quantised(trace::Traced& traced);

}  // namespace t2n
