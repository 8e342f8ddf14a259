// Runs single operations in f64, whatever floats the model has: the yardstick of a check.
#pragma once

#include "ir/evaluator.h"

namespace t2n::eval {

/// Floats, including those that arguments ask for, become f64, complex numbers c128. Errors: those
/// of torch_evaluator; `unsupported-op` for operations on the bits of a number.
ir::Evaluator wide_evaluator();

}  // namespace t2n::eval
