// SPDX-License-Identifier: Apache-2.0
// Operators of torchvision, whose library is not part of LibTorch, implemented here.
#pragma once

namespace t2n::trace {

/// Registers `torchvision::nms` for LibTorch's executor and the interpreter. Idempotent.
void register_vision();

}  // namespace t2n::trace
