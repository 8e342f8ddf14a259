// Loads libt2nnef_torch.so on first use, so that only commands that need LibTorch load it.
#pragma once

#include "src/interp/interp.h"
#include "src/model/torch_module.h"

namespace t2n {

/// The tracer and evaluator. Errors: `torch-not-found` if the module or LibTorch cannot be loaded.
const trace::TorchModule& torch_module();

/// The reference interpreter, with the same errors.
const interp::InterpModule& interp_module();

}  // namespace t2n
