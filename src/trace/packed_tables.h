// Tensors whose bytes are in an order of LibTorch's own, which the operators know that read them.
#pragma once

#include <ATen/core/stack.h>

#include <string>
#include <vector>

#include "src/trace/packed.h"

namespace t2n::trace {

/// Whether the operator only brings constants into LibTorch's order, or out of it: what it makes of
/// parts of the model is a part of the model. So are tables with real zero points, which are made
/// for nothing but to be packed.
bool is_packing(const std::string& op, const std::vector<at::Tensor>& results);

/// Whether the operator takes a tensor apart by itself that it is given as this argument.
bool reads_packed(const std::string& op, size_t argument);
/// What such a tensor holds: codes as one small integer each, and what they stand for.
/// Errors: `unsupported-argument` if LibTorch packs in an order that is not known here.
std::vector<PackedPart> parts_of_table(const std::string& op, const torch::jit::Stack& inputs);

}  // namespace t2n::trace
