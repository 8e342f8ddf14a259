// SPDX-License-Identifier: Apache-2.0
// The arguments of the sample's run that a .pt2 file stores.
#pragma once

#include <ATen/core/ivalue.h>

#include <string>
#include <vector>

#include "src/frontend/load/archive.h"
#include "src/pt2/program.h"

namespace t2n::trace {

/// A value for each argument of `forward`. None if the file has none, or other objects than
/// tensors, numbers and containers of them. `record`: where they are.
std::vector<c10::IValue> sample_values(const Archive& archive, const pt2::Program& program,
                                       const std::string& record);

}  // namespace t2n::trace
