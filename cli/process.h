// SPDX-License-Identifier: Apache-2.0
// Handling of signals, and the stack of the main thread.
#pragma once

#include <functional>

namespace t2n::cli {

/// Signals that end the program, crashes included, leave no temporary files, and print a message.
void handle_signals();

/// Runs `work`, in a new thread if this one has less stack than LibTorch needs.
void on_enough_stack(const std::function<void()>& work);

}  // namespace t2n::cli
