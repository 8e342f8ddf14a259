// SPDX-License-Identifier: Apache-2.0
// Operands of operations in branches that run although they are not taken.
#pragma once

#include "src/frontend/record/computed_numbers.h"

namespace t2n::trace {

/// The operands with safe values where `condition` does not hold, so that the operation never fails
/// there: 0 for an index, 1 for a divisor.
torch::jit::Stack safe_inputs(ComputedNumbers& computed, const c10::FunctionSchema& schema,
                              const FormulaRef& condition, torch::jit::Stack inputs);

/// The operands with elements added along `axis` (padded.h). If the operation gives a view, neither
/// the view nor its base can be written any more.
torch::jit::Stack padded_inputs(ComputedNumbers& computed, const c10::FunctionSchema& schema,
                                int64_t axis, const FormulaRef& condition,
                                torch::jit::Stack inputs);

}  // namespace t2n::trace
