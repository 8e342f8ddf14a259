// SPDX-License-Identifier: Apache-2.0
// Operators that only torch's Python registers, as TorchScript functions with the same results.
#pragma once

#include <torch/csrc/jit/api/function_impl.h>

#include <string>
#include <string_view>

namespace t2n::trace {

/// The text of quantized_decomposed.py.
std::string_view quantized_decomposed();

/// Of "quantized_decomposed::quantize_per_tensor"; nullptr if there is none. Its parameters have
/// the names of those in the operator's schema.
torch::jit::GraphFunction* decomposition(const std::string& name, const std::string& overload);

}  // namespace t2n::trace
