// SPDX-License-Identifier: Apache-2.0
// Opens model files of all kinds.
#pragma once

#include <string>

#include "src/frontend/load/loader.h"

namespace t2n::trace {

/// A TorchScript file, or a .pt2 file of torch.export, where `method` names one of several
/// programs. Errors: those of their loaders.
Loaded open_model(const std::string& path, const std::string& method);
/// See TorchModule::read_code.
ModelCode read_model_code(const std::string& path);

}  // namespace t2n::trace
