// What the process makes of signals, and the stack that it runs on.
#pragma once

#include <functional>

namespace t2n::cli {

/// Signals that end the program, crashes included, leave nothing behind and are said.
void handle_signals();

/// Runs `work`, in a thread where the system gives this one less stack than LibTorch needs.
void on_enough_stack(const std::function<void()>& work);

}  // namespace t2n::cli
