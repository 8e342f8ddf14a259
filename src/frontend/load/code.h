// SPDX-License-Identifier: Apache-2.0
// The code of an archive, read without compiling it.
#pragma once

#include <set>
#include <string>

#include "src/frontend/load/archive.h"
#include "src/model/model.h"
#include "src/model_file/code_scan.h"

namespace t2n::trace {

/// Checks the nesting of all code. Errors: `model-corrupt`.
model_file::CodeScan scan_code(const Archive& archive);
/// The names of the operators that the code calls.
std::set<std::string> operators_in(const model_file::CodeScan& code);

/// If the code calls operators that this LibTorch lacks, throws `unsupported-op` with all of them.
/// `message`: why the code cannot be compiled, since their signatures are unknown.
void refuse_uncompiled(const Archive& archive, const model_file::CodeScan& code,
                       const std::string& message);

/// See TorchModule::read_code.
ModelCode read_code(const Archive& archive);

}  // namespace t2n::trace
