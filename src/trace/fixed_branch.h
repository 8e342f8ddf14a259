// Operands in branches that are taken in all runs.
#pragma once

#include <vector>

#include "src/trace/computed_numbers.h"
#include "src/trace/decisions.h"
#include "src/trace/tensor_numbers.h"

namespace t2n::trace {

/// Changes the operands of an operation so that a branch on a size does nothing at sizes that do
/// not take it. Where its condition says that a remainder is not 0, a negative end of a slice that
/// cuts off the rest is counted from the front, as -0 cuts off all; where it says that a size is
/// odd, constant amounts of a pad, and constant rows that `cat` appends to what has open ones, are
/// multiplied by the remainder.
void adapt_to_fixed(const std::vector<Decisions::Taken>& fixed, const TensorNumbers& numbers,
                    ComputedNumbers& computed, const c10::FunctionSchema& schema,
                    torch::jit::Stack& inputs);

}  // namespace t2n::trace
