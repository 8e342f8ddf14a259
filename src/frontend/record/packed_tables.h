// SPDX-License-Identifier: Apache-2.0
// Tensors whose bytes are in LibTorch's own order, which only the operators that read them define.
#pragma once

#include <ATen/core/stack.h>

#include <string>
#include <vector>

#include "src/frontend/record/packed_parameters.h"

namespace t2n::trace {

/// Whether the operator only converts constants to LibTorch's order, or back: its result on parts
/// of the model is a part of the model. The same applies to tables with float zero points, which
/// are created only to be packed.
bool is_packing(const std::string& op, const std::vector<at::Tensor>& results);

/// Whether the operator unpacks this argument.
bool reads_packed(const std::string& op, size_t argument);
/// The contents of such a tensor: codes, which are small integers, and their scales and minimums.
/// Errors: `unsupported-argument` if LibTorch packs in an unknown order.
std::vector<PackedPart> parts_of_table(const std::string& op, const torch::jit::Stack& inputs);

}  // namespace t2n::trace
