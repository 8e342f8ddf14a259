// SPDX-License-Identifier: Apache-2.0
// Compression settings that a model's modules carry: the attribute `quant_params`.
#pragma once

#include <torch/csrc/jit/api/module.h>

#include <string>
#include <utility>
#include <vector>

namespace t2n::trace {

/// The path of each module that has the attribute, outermost first, with its text: a string is
/// unchanged, a dictionary becomes JSON.   Errors: `model-format` for anything else.
std::vector<std::pair<std::string, std::string>> quant_params(const torch::jit::Module& module);

}  // namespace t2n::trace
