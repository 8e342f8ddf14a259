// SPDX-License-Identifier: Apache-2.0
// Converts LibTorch's exceptions into the project's own.
#pragma once

#include <functional>
#include <string>

namespace t2n::trace {

/// The message of the LibTorch exception that is being handled, without its C++ backtrace. Rethrows
/// t2n::Error. Call it inside a catch block.
std::string current_torch_message();

}  // namespace t2n::trace
