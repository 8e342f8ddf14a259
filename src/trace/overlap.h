// Writes whose result depends on the order in which torch reads and writes, at the sizes of this
// run. Changes at other sizes are handled in regions.cpp.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/stack.h>

#include <string>

namespace t2n::trace {

/// A copy, in one thread, towards the front of the memory never reads what it already wrote.
bool moves_forward(const std::string& name, const at::Tensor& written, const at::Tensor& operand);

/// Refuses an operand that torch reads, element by element, before or after it wrote to it. Errors:
/// `unsupported-inplace`.
void refuse_read_while_written(const std::string& name, const at::Tensor& written,
                               const torch::jit::Stack& inputs);

/// Refuses writes to a tensor that shows an element several times: torch computes it as often, each
/// time from what it wrote before. Errors: `unsupported-inplace`.
void refuse_overlapping(const at::Tensor& written, const std::string& name);

}  // namespace t2n::trace
