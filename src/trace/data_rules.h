// What operations on numbers that were read from tensors compute.
#pragma once

#include <string>
#include <vector>

#include "src/trace/formula.h"

namespace t2n::trace {

/// The formula of `name` ("aten::add") of numbers with formulas, whose result in this run is
/// `result`; null if no graph computes exactly what Python does.
FormulaRef data_rule(const std::string& name, const std::vector<FormulaRef>& operands,
                     const c10::IValue& result);

/// One of two numbers; null if they are of different types.
FormulaRef choice_formula(const FormulaRef& condition, const FormulaRef& yes, const FormulaRef& no);

}  // namespace t2n::trace
