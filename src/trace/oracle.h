// A model in LibTorch's own executor: the reference that the interpreter is compared with.
#pragma once

#include <torch/csrc/jit/api/module.h>

#include <string>
#include <vector>

namespace t2n::trace {

/// Prepares a freshly loaded model to run as it is exported: devices become the CPU, and torch's
/// own modules infer (is_inference_module). `unfused`: they are also told that gradients are on.
void adapt_for_executor(torch::jit::Module& module, bool unfused);

/// What `model(*arguments)` gives in Python, with hooks, without gradients and without the
/// executor's optimisations. Only for models that were scanned and call nothing that is denied.
c10::IValue run_in_executor(torch::jit::Module& module, const std::string& method,
                            std::vector<c10::IValue> arguments);

}  // namespace t2n::trace
