// SPDX-License-Identifier: Apache-2.0
// Reads what torch.save wrote: tensors in containers.
#pragma once

#include <ATen/core/ivalue.h>

#include <string>
#include <vector>

namespace t2n::trace {

/// `bytes`: of a zip archive with one pickle. `name`: for messages. Errors: `input-unreadable`,
/// and LibTorch's own exceptions.
c10::IValue read_saved_value(const std::vector<char>& bytes, const std::string& name);

}  // namespace t2n::trace
