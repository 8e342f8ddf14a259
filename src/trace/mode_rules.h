// What our rules say of modes: where the exported program is not the one that the file's flags ask
// for. The interpreter and LibTorch's executor, as the reference, keep to the same ones.
#pragma once

#include <ATen/core/ivalue.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>

namespace t2n::trace {

/// Functions of torch's own modules, and of torch.nn.functional. They ask whether gradients are on
/// to choose between ways that compute the same.
bool is_torch_function(const std::string& qualified_name);

/// Whether an operation asks for the mode of gradients, or a tensor's.
bool is_grad_question(const torch::jit::Node& node);

/// Torch's own modules for which the flag `training` means dropout or statistics of the batch: they
/// always do what they do in inference.
bool is_inference_module(const c10::ivalue::Object& object);

}  // namespace t2n::trace
