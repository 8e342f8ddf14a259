// SPDX-License-Identifier: Apache-2.0
// Masks among the indices of an operation.
#pragma once

#include <string>

#include "src/frontend/record/recorder.h"

namespace t2n::trace {

/// Whether an operation's index combines a mask with other masks or indices: as torch does, each
/// mask is then replaced by its nonzero indices.
bool needs_indices(const std::string& name, const c10::IValue& indices, const Marks& marks,
                   const Recorder& recorder);

}  // namespace t2n::trace
