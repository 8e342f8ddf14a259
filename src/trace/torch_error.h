// Turns what LibTorch throws into the one exception of the project.
#pragma once

#include <functional>
#include <string>

namespace t2n::trace {

/// The message of a LibTorch exception that is being handled, without C++ backtrace. Rethrows
/// t2n::Error. Call inside a catch block.
std::string current_torch_message();

}  // namespace t2n::trace
