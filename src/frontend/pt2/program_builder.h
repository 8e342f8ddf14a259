// SPDX-License-Identifier: Apache-2.0
// Writes the graph of an exported program as the method `forward` of a TorchScript module.
#pragma once

#include <torch/csrc/jit/api/module.h>

#include <set>
#include <string>
#include <vector>

#include "src/pt2/program.h"

namespace t2n::trace {

/// Adds `forward` to the model, whose modules and tensors exist. An argument for each tensor and
/// number of the user, named after its place in the nested arguments: "opts_w"; results are nested
/// as the program returns them. `wrappers`: addresses of parameters that consist of several
/// tensors, at "ADDRESS.PART". Errors: `model-corrupt`; `unsupported-op`, with the location.
void add_forward(torch::jit::Module& model, const pt2::Program& program,
                 const std::set<std::string>& wrappers);

/// The names of the arguments of `forward`, in the order of the program's leaves.
std::vector<std::string> argument_names(const pt2::Program& program);

}  // namespace t2n::trace
