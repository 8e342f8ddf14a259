// Tensors whose bytes are in LibTorch's own order, known only to the operators that read them.
#pragma once

#include <ATen/core/stack.h>

#include <string>
#include <vector>

#include "src/trace/packed.h"

namespace t2n::trace {

/// Whether the operator only brings constants into LibTorch's order, or back: its result on parts
/// of the model is a part of the model. The same goes for tables with real zero points, which are
/// made only to be packed.
bool is_packing(const std::string& op, const std::vector<at::Tensor>& results);

/// Whether the operator unpacks the tensor that it is given as this argument.
bool reads_packed(const std::string& op, size_t argument);
/// What such a tensor holds: codes, one small integer each, and what they stand for. Errors:
/// `unsupported-argument` if LibTorch packs in an unknown order.
std::vector<PackedPart> parts_of_table(const std::string& op, const torch::jit::Stack& inputs);

}  // namespace t2n::trace
