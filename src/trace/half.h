// 16-bit floats on a CPU that has no kernels for some operators.
#pragma once

#include <torch/csrc/jit/runtime/operator.h>

#include "src/trace/call.h"

namespace t2n::trace {

/// Runs an operator on a stack; where halves have no kernel, or a very slow one, in f32, rounding
/// the results back. In-place operators, and operands that mix types of floats, always run as they
/// are: what torch refuses is refused.
void run_with_halves(const torch::jit::Operator& op, const Run& run, torch::jit::Stack& stack);

}  // namespace t2n::trace
