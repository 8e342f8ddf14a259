// A model in LibTorch's own executor: what the interpreter is measured against.
#pragma once

#include <torch/csrc/jit/api/module.h>

#include <string>
#include <vector>

namespace t2n::trace {

/// Makes a freshly loaded model run here as an export takes it: devices are the CPU, torch's own
/// modules infer (is_inference_module). `unfused`: they hear that gradients are on, too.
void adapt_for_executor(torch::jit::Module& module, bool unfused);

/// What `model(*arguments)` gives in Python, hooks included, without gradients and without the
/// executor's optimisations. Only for models that were found to call nothing that is denied.
c10::IValue run_in_executor(torch::jit::Module& module, const std::string& method,
                            std::vector<c10::IValue> arguments);

}  // namespace t2n::trace
