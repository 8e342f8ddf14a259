// SPDX-License-Identifier: Apache-2.0
// Writes whose result depends on the order in which torch reads and writes, at the sizes of this
// run. Changes at other sizes are handled in regions.cpp.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/stack.h>

#include <string>

namespace t2n::trace {

/// A single-threaded copy towards the front of the memory never reads what it already wrote.
bool moves_forward(const std::string& name, const at::Tensor& written, const at::Tensor& operand);

/// Refuses an operand that torch reads element by element while it writes to it. Errors:
/// `unsupported-inplace`.
void refuse_read_while_written(const std::string& name, const at::Tensor& written,
                               const torch::jit::Stack& inputs);

/// Refuses writes to a tensor whose elements overlap in memory: torch computes such an element
/// repeatedly, each time from its last result. Errors: `unsupported-inplace`.
void refuse_overlapping(const at::Tensor& written, const std::string& name);

}  // namespace t2n::trace
