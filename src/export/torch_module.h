// Loads libt2nnef_torch.so on first need: what never traces never pays for LibTorch.
#pragma once

#include "src/trace/trace.h"

namespace t2n {

/// The tracer and evaluator. Errors: `torch-not-found` if the module or LibTorch cannot be loaded.
const trace::TorchModule& torch_module();

}  // namespace t2n
