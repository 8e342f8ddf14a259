// SPDX-License-Identifier: Apache-2.0
// Runs single operations in f64, whatever float dtype the model has: the f64 reference of a check.
#pragma once

#include "ir/evaluator.h"

namespace t2n::eval {

/// Floats become f64, complex numbers c128, also where arguments specify a dtype. Errors: those of
/// torch_evaluator; `unsupported-op` for operations on the bits of a number.
ir::Evaluator wide_evaluator();

}  // namespace t2n::eval
