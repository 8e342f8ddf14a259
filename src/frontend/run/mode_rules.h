// SPDX-License-Identifier: Apache-2.0
// Modes in which the exported program differs from the model's own flags. The interpreter and
// LibTorch's executor, the reference, apply the same rules.
#pragma once

#include <ATen/core/ivalue.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>

namespace t2n::trace {

/// True for functions of torch's own modules and of torch.nn.functional. They query whether
/// gradients are enabled to choose between equivalent implementations.
bool is_torch_function(const std::string& qualified_name);

/// Whether an operation queries if gradients are enabled, or if a tensor requires one.
bool is_grad_query(const torch::jit::Node& node);

/// True for torch's own modules whose flag `training` means dropout or batch statistics. They
/// always behave as in inference.
bool is_inference_module(const c10::ivalue::Object& object);

/// True for torch's function that compares a mask with a causal one. Its result only selects a
/// faster implementation: false is correct for every mask.
bool is_causal_detection(const std::string& qualified_name);

}  // namespace t2n::trace
