// SPDX-License-Identifier: Apache-2.0
// Formulas for operations on numbers that were read from tensors.
#pragma once

#include <string>
#include <vector>

#include "src/frontend/numbers/formula.h"

namespace t2n::trace {

/// The formula for operation `name` ("aten::add") on numbers with formulas. `result`: its result in
/// this run. Null if no graph computes exactly what Python does.
FormulaRef data_rule(const std::string& name, const std::vector<FormulaRef>& operands,
                     const c10::IValue& result);

/// The formula that chooses one of two numbers; null if their types differ.
FormulaRef choice_formula(const FormulaRef& condition, const FormulaRef& yes, const FormulaRef& no);

}  // namespace t2n::trace
