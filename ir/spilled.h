// SPDX-License-Identifier: Apache-2.0
// Computed weights in a file on the disk instead of memory.
#pragma once

#include <filesystem>

#include "ir/tensor.h"

namespace t2n::ir {

/// From now on, spilled() stores tensors in a file in this folder that has no name and ends with
/// the process. Call it before the process is confined. Without such a file, or if the folder
/// cannot hold one, tensors stay in memory.
void spill_into(const std::filesystem::path& folder);

/// The same values, which take no memory of this process: the kernel may drop and reread their
/// pages. Small tensors, and those for which the disk has no space, are returned as they are. The
/// space is free again when the last copy of the tensor dies.
Tensor spilled(Tensor tensor);

}  // namespace t2n::ir
