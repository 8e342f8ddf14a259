// SPDX-License-Identifier: Apache-2.0
// Operators that only Python registers, or that have a plain form, as TorchScript functions with
// the same results.
#pragma once

#include <torch/csrc/jit/api/function_impl.h>

#include <string>
#include <string_view>

namespace t2n::trace {

/// The texts of quantized_decomposed.py, torchao.py and integers.py.
std::string_view quantized_decomposed();
std::string_view torchao();
std::string_view integers();

/// Of "quantized_decomposed::quantize_per_tensor"; nullptr if there is none. Its parameters have
/// the names of those in the operator's schema.
torch::jit::GraphFunction* decomposition(const std::string& name, const std::string& overload);

}  // namespace t2n::trace
