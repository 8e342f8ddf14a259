// Writes whose result follows from the order in which torch reads and writes, at the sizes of this
// run. What other sizes change is followed in places.cpp.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/stack.h>

#include <string>

namespace t2n::trace {

/// Of a copy in one thread towards the front of the memory: what it reads is not written yet.
bool moves_forward(const std::string& name, const at::Tensor& written, const at::Tensor& operand);

/// Torch reads such an operand before or after it wrote to it, element by element.
/// Errors: `unsupported-inplace`.
void refuse_read_while_written(const std::string& name, const at::Tensor& written,
                               const torch::jit::Stack& inputs);

/// Torch computes an element that is seen several times as often, from what it wrote before.
/// Errors: `unsupported-inplace`.
void refuse_overlapping(const at::Tensor& written, const std::string& name);

}  // namespace t2n::trace
