// SPDX-License-Identifier: Apache-2.0
// Operands in branches that are taken in all runs.
#pragma once

#include <vector>

#include "src/frontend/numbers/decisions.h"
#include "src/frontend/record/computed_numbers.h"
#include "src/frontend/run/tensor_numbers.h"

namespace t2n::trace {

/// Changes the operands of an operation so that a branch on a size has no effect at sizes that do
/// not take it. If its condition requires a remainder other than 0, a negative end of a slice that
/// cuts off the remainder is counted from the front, as -0 would cut off everything. If it requires
/// an odd size, constant amounts of a pad, and the rows of what the branch made and joins by `cat`
/// to an earlier tensor, are multiplied by the remainder.
void adapt_to_fixed(const std::vector<Decisions::FixedCondition>& fixed,
                    const TensorNumbers& numbers, const AliasTable& aliases,
                    ComputedNumbers& computed, const c10::FunctionSchema& schema,
                    torch::jit::Stack& inputs);

}  // namespace t2n::trace
