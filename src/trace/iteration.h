// Errors of the tracer about the iterations of rolled loops.
#pragma once

#include <string>

#include "src/loops/iteration.h"

namespace t2n::trace {

using loops::coefficient;
using loops::dim_of;
using loops::mentions_iteration;
using loops::refuse_loop;
using loops::replaced;

inline constexpr const char* kIterationHelp =
    "compute with the iteration as a tensor, or let it be a sum of the iteration and a constant";

/// Throws error `dynamic-loop` at the current position of the program.
[[noreturn]] inline void refuse_loop(std::string why, std::string help) {
  throw Error("dynamic-loop", loops::kRefusedLoop, std::move(why), std::move(help));
}

}  // namespace t2n::trace
