// SPDX-License-Identifier: Apache-2.0
// A model in LibTorch's own executor: the reference that the interpreter is compared with.
#pragma once

#include <torch/csrc/jit/api/module.h>

#include <string>
#include <vector>

namespace t2n::trace {

/// Prepares a newly loaded model to run as it is exported: devices become the CPU, and torch's own
/// modules run in inference mode (is_inference_module). `unfused`: queries of the gradient mode
/// return true in them, which disables fused kernels.
void adapt_for_executor(torch::jit::Module& module, bool unfused);

/// The result of `model(*arguments)` in Python, with hooks, without gradients and without the
/// executor's optimisations. Only for scanned models without denied operators.
c10::IValue run_in_executor(torch::jit::Module& module, const std::string& method,
                            std::vector<c10::IValue> arguments);

}  // namespace t2n::trace
