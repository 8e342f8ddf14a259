// SPDX-License-Identifier: Apache-2.0
// The records of a .pt2 file, in both layouts.
#pragma once

#include <string>
#include <vector>

#include "src/frontend/load/archive.h"

namespace t2n::trace {

/// The layout of PyTorch 2.7 and older: one program, whose tensors are files of torch.save.
bool has_old_layout(const Archive& archive);

/// "model". The only program of the old layout is "model" as well.
std::vector<std::string> program_names(const Archive& archive);
/// The record of a program, and that of the arguments of its sample's run.
std::string program_record(const Archive& archive, const std::string& program);
std::string samples_record(const Archive& archive, const std::string& program);

}  // namespace t2n::trace
