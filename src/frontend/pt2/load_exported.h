// SPDX-License-Identifier: Apache-2.0
// Opens a .pt2 file of torch.export without copying its weights.
#pragma once

#include <memory>
#include <string>

#include "src/frontend/load/loader.h"

namespace t2n::trace {

bool is_exported(const Archive& archive);

/// The operators of its programs. See TorchModule::read_code.
ModelCode code_of_exported(const Archive& archive);

/// A program as a TorchScript module with one method, `forward`, which runs as any other. Its
/// operators are scanned before anything runs. `method`: its name, or "forward" if it is the only
/// one. Errors: `model-…`, `denied-operator`, `unsupported-op`.
Loaded load_exported(const std::shared_ptr<const Archive>& archive, const std::string& method);

}  // namespace t2n::trace
